import { normalizePhone, WITH_AREA_CODE } from './normalize-phone.ts';

const AMOUNT = /^[1-9]\d{0,2}(?:\.\d{3}){1,4}$/;
/** Formats of other numbers. */
const OTHER_SHAPES = [
  // Dates, and ranges of years or dates
  /^\(?\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d{2}(?!\d|[./-]\d)/,
  /^\(?(?:19|20)\d{2}([./-])\d{1,2}\1\d{1,2}(?!\d)/,
  /^\(?(?:19|20)\d{2}\)? ?[-–—/.]? ?(?:19|20)\d{2}\)?$/,
  // IP addresses, versions
  /^(?:(?:0|1?[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/,
  /^\d{1,2}\.\d{1,2}\.\d{1,3}$/,
  // Coordinates, decimals, amounts
  /^[+-]?\d{1,3}\.\d{3,}(?:$|[ ,/])/,
  AMOUNT,
  // Opening hours
  /^\(?\d{1,2}[.:]\d{2} ?[-–—] ?\d{1,2}[.:]\d{2}/,
  /^\d{1,2}[-–]\d{1,2} \d{1,2}[-–]\d{1,2}$/,
];
const DOTTED_IN_SPAIN = /^[6-9]\d{2}\.\d{3}\.\d{3}$/;
const BRAZILIAN_POSTAL_CODE = /^\d{2}\.?\d{3}-\d{3}$/;
const CEP = /(?<!\p{L})CEP[\s:.]{0,3}$/u;
/** Labels of other kinds of numbers, up to signs and "No.". */
const OTHER_NUMBERS = new RegExp(
  String.raw`(?<![\p{L}])(?:${[
    'hr[ab]|registernummer|register|amtsgericht|handelsregister|firmenbuch|fn|ust|ust-?id(?:nr)?|vat|tax|mwst|steuer-?(?:nr|nummer)|dvr|st|uid|che|siren|siret|rcs|ape|naf|nif|cif|nie|dni|rfc|cuit|cnpj|cpf|nit|rut',
    'p\\.? ?iva|partita iva|c\\.?f|codice fiscale|rea|cap\\. soc|kvk|btw|cvr|orgnr|org|organisationsnummer|y-tunnus|nip|regon|krs|ič|ičo|ico|dič|dic|инн|огрн|кпп|окпо|abn|acn|crn|ein|duns|d-u-n-s|gst(?:in)?|cin|pan',
    'iban|bic|swift|konto|kontonummer|account|blz|bankleitzahl|sort code|routing|isbn(?:-1[03])?|issn|ean|gtin|upc|asin|doi|pmid|sku|imei|mpn',
    'policy|póliza|poliza|polizza|apólice|order|bestell|bestellnummer|bestellung|invoice|rechnung|rechnungsnummer|kundennummer|customer|commande|facture|pedido|factura|fattura|ordine|artikel|art|item|ref|réf|reference|référence|referenz|rif|riferimento|prot|protocollo|prat|pratica|delibera|determina|aktenzeichen|geschäftszeichen|gz|az|expediente|expte|exp|dossier|kenmerk|dnr|diarienr|saksnr|journalnr|sygn|sprawa|č\\.? ?j|matricola|id|ticket|case|tracking|sendungsnummer',
    'company|company number|registered|registration|reg|licen[cs]e|lizenz|charity|nmls|npi|patent|version|build|release|serial|seriennummer|model|modell|chapter|page',
    'gps|lat|latitude|lng|long|longitude|coordinates|koordinaten|breite|länge|plz|zip|postcode|cep|p\\.? ?o\\.? ?box|postfach|bp|room|zimmer|raum|suite|apt|copyright|seit|since',
    'eur|usd|gbp|chf|jpy|pln|price|preis|prix|precio|prezzo|preço|total|sum|summe|betrag|amount|rs|inr|kr',
    'codice|c[oó]digo|k[oó]d|kode|zertifikat|cert|nr|no|n°|nº|č',
    'award|grant|permit|docket|folio|fólio|tomo|hoja|livro|lotto|bando|gara|decreto|ordinanza|zulassung|bewilligung|agrément|approval|autorizzazione|v[yý]r\\. ?č|sp\\. ?zn|vložka|repertorio|zaak',
    'telegram id|pin|code|tan|uhr|time|hours|öffnungszeiten|heures|horario',
  ].join(
    '|',
  )})[\s.:#°º)_-]{0,4}(?:(?:nr|no|n|num|number|nummer|numero|número|numéro|id|code)[\s.:#°º)-]{0,4}){0,2}(?:[A-Z]{1,3}[\s-]?)?$`,
  'iu',
);
/** "Bestellnummer", "tilausnumero", "orderNo": words for numbers that no list has. */
const NUMBER_WORD =
  /(?<![\p{L}\p{M}])(\p{L}[\p{L}\p{M}-]{2,40}(?:nummer(?:n|et)?|nummer|nr|numero|number|sz[aá]m(?:a|ú)?|num[ae]r[ai]?|numaras[ıi]|kode?n?|codes?|tunnus|zeichen|značka))[\s.:#°º]{0,4}$/iu;
/** "numéro de commande", "order number", "číslo objednávky", "numer zamówienia" */
const NUMBER_OF =
  /(?<![\p{L}\p{M}])(?:n[uú]meros?|num[eé]ro|numer|num[aă]rul|číslo|broj|αριθμός|номер|codice|c[oó]digo|code|kod|kód)[ \u00A0]{1,2}((?:(?:de|du|di|do|da|del|della|dell|d)[ \u00A0'’]{1,2})?(?:(?:la|le|l|el|o|a)[ \u00A0'’]{1,2})?[\p{L}\p{M}.-]{3,30})[\s.:#°º]{0,4}$/iu;
const NUMBER_BEHIND =
  /(?<![\p{L}\p{M}])([\p{L}\p{M}-]{3,30})[ \u00A0](?:number|no\.|nummer|nr\.?|sz[aá]ma?|numaras[ıi])[\s:#]{0,4}$/iu;
/** Parts of words for phone numbers, of which not all are labels. */
export const OF_PHONES =
  /t[eéè]l[eéè]|tel(?:$|[^\p{L}])|telf|ruf|fon|phone|puh|mobi|handy|hot ?line|service|servis|z[eá]ntr|centr|sammel|haupt|main|direct|notdienst|bereit|vakt|vagt|jour|dienst|contact|kontakt|conta[ct]t?o|urgen|emerg|atenci|assist|vert|verde|azul|gratu|free|appel|whats|info|reserv|booking|buchung|office|büro|kontor|kancel|kanslia|τηλ|тел|κιν|tlf|tfn|nood|alarm|support|standard|linka|dyżur|ügyelet/iu;
/** Registers and courts: what follows in the same part of the line is their number, or theirs to be called. */
const REGISTER =
  /(?<![\p{L}\p{M}])(?:amtsgericht|registergericht|handelsregister|vereinsregister|firmenbuch|handelsgericht|landesgericht|registre du commerce|greffe|registro mercantil|registro imprese|tribunale|kamer van koophandel|companies house|registered (?:in|with|as|at|under)|obchodn\p{L}{1,3} rejst\p{L}+|spisov\p{L}{1,2} zna[čc]k\p{L}|vložk\p{L}|s[ąa]d rejonowy|s[ąa]du rejonowego|kaupparekisteri|registrul comer[țt]ului|c[ée]gb[íi]r[óo]s[áa]g|c[ée]gjegyz[ée]k\p{L}*|ticaret sicil\p{L}*|sudski registar|trgova[čc]ki sud|inscrit[oa]? (?:en|no|na|au|à)|iscritt[aoei] (?:al|alla|nel|presso))(?![\p{L}\p{M}])[^,;|·•\n]{0,40}$/iu;
const TOUCHED_BEFORE = /[\p{L}\p{Nd}#$€£¥₹₽=_%@/\\.,:;*&?~^-]$/u;
const AMOUNT_BEFORE = /[#$€£¥₹₽№§©][ \u00A0]?$/u;
const IBAN_BEFORE = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2} ?[A-Z]{4} ?$/u;
const TOUCHED_BEHIND = /^(?:[\p{L}\p{Nd}%$€£¥°²³_=@\\/*]|[.,:]\d)/u;
const UNIT_BEHIND =
  /^[\s\u00A0]{0,2}(?:€|\$|£|¥|%|°|eur\b|usd\b|gbp\b|chf\b|zł|kč|kr\b|руб|₽|円|元|원|km|kg|m²|m2\b|mm\b|cm\b|px\b|mb\b|gb\b|kwh|uhr\b|a\.?m\.?\b|p\.?m\.?\b|years|jahre|ans\b|users|downloads|followers|views)/iu;
/** Countries whose national numbers have no leading zero. */
const NO_TRUNK_ZERO = new Set(
  'US CA PR DO JM TT BS BB ES PT IT SM VA PL CZ DK NO GR CY MT LU IS LV EE HK SG MO TW MX CL CO PE UY CR PA GT SV HN NI BO EC PY AR BR VE OM QA KW BH LB TN SN CI CM'.split(
    ' ',
  ),
);

/**
 * Whether a number is a date, a price, a registration number or the like.
 * @param isMarked a label marks it as a phone number: then only its format is checked
 */
export function isOtherNumber(
  written: string,
  context: { before: string; after: string },
  isMarked: boolean,
  region: string | null,
): boolean {
  if (isDottedInSpain(written, context, region)) return false;
  // Behind "Tel.", nine digits in groups are no amount.
  if (isMarked && region !== null && AMOUNT.test(written)) {
    return normalizePhone(written, region, 'text') === null;
  }
  if (OTHER_SHAPES.some((shape) => shape.test(written))) return true;
  // "cep" is Turkish for a mobile phone, and Portuguese for a postal code.
  if (BRAZILIAN_POSTAL_CODE.test(written) && (region === 'BR' || CEP.test(context.before))) {
    return true;
  }
  if (isMarked) return false;
  // The label may be in the cell before.
  const line = context.before
    .slice(context.before.lastIndexOf('\n') + 1)
    .replace(/[ \t\u00A0]+/gu, ' ');
  if (TOUCHED_BEHIND.test(context.after) || UNIT_BEHIND.test(context.after)) return true;
  if (AMOUNT_BEFORE.test(line) || IBAN_BEFORE.test(line) || OTHER_NUMBERS.test(line)) return true;
  if (isNumberOfOther(line)) return true;
  const isInternational = /^[(（]?(?:[+＋]|00[1-9 ])/.test(written);
  if (isInternational) return /[\p{L}\p{Nd}=_/]$/u.test(line);
  return TOUCHED_BEFORE.test(line) || !looksNational(written, region);
}

/** "987.741.140", which elsewhere is an amount, alone on its line. */
function isDottedInSpain(
  written: string,
  { before, after }: { before: string; after: string },
  region: string | null,
): boolean {
  const isAlone = /(?:^|\n)\s*$/u.test(before) && /^[ \t]*(?:\n|$)/u.test(after);
  return region === 'ES' && isAlone && DOTTED_IN_SPAIN.test(written);
}

/** Whether a line up to a number says what it numbers, and that is no phone. */
function isNumberOfOther(line: string): boolean {
  const named = [NUMBER_WORD, NUMBER_OF, NUMBER_BEHIND].map((form) => form.exec(line)?.[1]);
  const isOther = named.some((name) => name !== undefined && !OF_PHONES.test(name));
  return isOther || REGISTER.test(line);
}

function looksNational(written: string, region: string | null): boolean {
  if (region === null) return WITH_AREA_CODE.test(written);
  const digits = written.match(/\p{Nd}/gu)?.join('') ?? '';
  // Russia and its neighbours dial an 8 where others dial a zero.
  const startsAsDialled =
    /^[(（]?[0０]/.test(written) ||
    (/^(?:RU|KZ|BY|UZ|TM)$/.test(region) && /^8[ (-]/.test(written));
  if (!startsAsDialled && !NO_TRUNK_ZERO.has(region) && !/^[(（]/.test(written)) return false;
  // Plain digits without separators may be any number.
  if (/^\p{Nd}+$/u.test(written)) return startsAsDialled && digits.length >= 10;
  return true;
}
