/** Labels of phone numbers, in lower case. */
const PHONE_WORDS = [
  // Germanic
  'telephone(?: number)?|phone(?: number)?|tels?|mobile|cell(?:phone)?|call(?: us)?(?: at| on| now)?|hotline|landline|direct(?: line| dial)?|switchboard|toll[ -]?free',
  'telefon(?:nummer)?|fernruf|ruf|fon|handy|mobil(?:telefon|funk)?|rufnummer|durchwahl|zentrale|anruf(?:en)?|telefoon(?:nummer)?|mobiel|gsm|tlf|tel[eé]fonnr|mobilnummer|växel|vaxel|sími|tfn|tele?fonn[úu]mer|ffôn|fón|guthán',
  // Romance
  't[eé]l[eé]phone|t[eé]l|portable|fixe|standard|tel[eé]fonos?|tfno|m[oó]vil|celular|fijo|ll[aá]m[ae]nos|telefones?|telem[oó]vel|fone|telefono|cellulare|cell|recapito|mobil telefon|telèfon|mòbil|telefonoa',
  // Slavic, Baltic, Finno-Ugric, Turkic, Greek
  'telefonu|kom|kom[oó]rka|telefonn[ií]|mobiln[ií]|telef[oó]n|mobitel|телефон(?:ы|у)?|тел|моб(?:ильный)?|факс/тел|puhelin(?:numero)?|puh|matkapuhelin|gsm|telefonas|t[aā]lrunis|tālr|mob|tālrunis|telefonsz[aá]m(?:a|unk)?|(?:telefon|mobil)(?:ja|unk)|cep(?: telefonu)?|telefonska|τηλέφωνο|τηλ|κινητό|κιν',
  // Semitic, Asian
  'هاتف|تلفون|الهاتف|جوال|טלפון|טל|נייד|電話(?:番号)?|お電話|携帯|代表電話|电话|手机|聯絡電話|联系电话|전화(?:번호)?|연락처|휴대폰|โทร(?:ศัพท์)?|điện thoại|đt|telp|telepon|फ़ोन|फोन',
  // Of a switchboard, and definite forms
  'main (?:number|line)|hauptnummer|sammelnummer|sammelruf|hoofdnummer|numéro principal|número principal|numero principale|hovednummer|hovednr|huvudnummer|sentralbord|omstilling(?:en)?|telefonväxel|keskus|vaihde|centralka|ústředna|spojovatelka|telefonközpont|centrală|santral|mobilen|telefonen|puhelimitse|telefonicznie|telefonicky|telefonisch|par téléphone|por teléfono|por telefone|al telefono|telefonon|telefonla',
  'whats ?app|sms',
].join('|');
const FAX_WORDS =
  'tele ?fa(?:x|ks)|tel\\.?fax|t[eé]l[eé]copie(?:ur)?|t[eé]l[eé]fax|fax(?:nummer|ové)?|faks|факс|fakss|faksi|φαξ|فاكس|פקס|ファックス|ファクス|fax番号|传真|傳真|팩스|โทรสาร|belgegeçer';
const NUMBER_WORDS = 'nr|no|n°|nº|nummer|number|num|numéro|número|numero|番号';
/** Text allowed between a label and its number: only signs, line breaks and "No.". */
const FILLER = `(?:[^\\p{L}\\p{Nd}]{0,14}(?:${NUMBER_WORDS})(?![\\p{L}]))?[^\\p{L}\\p{Nd}]{0,14}(?:\\([^\\p{Nd}()]{1,20}\\)[^\\p{L}\\p{Nd}]{0,6})?$`;
/** `T: `, `F. `: a single letter needs a colon or full stop. */
const PHONE_LETTER = '(?:^|[\\s|•·,;(])[tpm] ?[:.)]\\s{0,3}$';
const FAX_LETTER = '(?:^|[\\s|•·,;(])f ?[:.)]\\s{0,3}$';
const AND = '[\\s./&+|,-]{1,4}|\\.?\\s?(?:und|and|et|y|e|och|og|i|a|en|ja|ve|и)\\s';

/** No letter may precede a Latin word; scripts without spaces have no such boundary. */
const START = '(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}])';
const PHONE_LABEL = new RegExp(`${START}(?:${PHONE_WORDS})${FILLER}`, 'iu');
const FAX_LABEL = new RegExp(`${START}(?:${FAX_WORDS})${FILLER}`, 'iu');
const PHONE_AND_FAX = new RegExp(
  `${START}(?:${PHONE_WORDS})(?:${AND})(?:${FAX_WORDS})${FILLER}`,
  'iu',
);
const PHONE_LETTER_LABEL = new RegExp(PHONE_LETTER, 'iu');
const FAX_LETTER_LABEL = new RegExp(FAX_LETTER, 'iu');
/** `T 020 … F 020 …`: a capital that begins a line or follows a number. */
const BARE_LETTER = /(?:^|\n|[|•·,;(]|\d)[ \t]{0,3}([TF])[ \t]{1,3}$/u;
const LONGEST = 56;

/** The kind of number that the end of a text announces. */
export function labelBefore(text: string): 'phone' | 'fax' | null {
  const tail = text.slice(-LONGEST);
  if (PHONE_AND_FAX.test(tail)) return 'phone';
  if (FAX_LABEL.test(tail) || FAX_LETTER_LABEL.test(tail)) return 'fax';
  if (PHONE_LABEL.test(tail) || PHONE_LETTER_LABEL.test(tail)) return 'phone';
  const letter = BARE_LETTER.exec(tail)?.[1];
  return letter === undefined ? null : letter === 'F' ? 'fax' : 'phone';
}

export function endsInFaxLabel(text: string): boolean {
  return labelBefore(text) === 'fax';
}
