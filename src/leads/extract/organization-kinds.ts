import { organizationKey } from './organization-key.ts';
import { plainLetters } from './role-lexicon.ts';

/** Words for kinds of organisations before a name: "Galerie Roth", "ditta Bonelli". One kind per line, without accents. */
const KINDS = new Set(
  (
    'firma ditta azienda societe entreprise empresa bedrijf firmaet foretaget spolecnost spolka ' +
    'agentur agency agence agencia agenzia agentura agencja byra bureau ' +
    'galerie gallery galleri galleriet galleria galeria galerij galerija ' +
    'bibliothek stadtbibliothek library bibliotheque mediatheque biblioteca bibliotek biblioteket biblioteks bibliotheek biblioteka knihovna kirjasto ' +
    'museum musee museo museu muzeum museet heimatmuseum ' +
    'backerei boulangerie panaderia padaria panificio bakkerij bageri bageriet piekarnia pekarna bakery konditorei patisserie ' +
    'cafe kaffe kavarna kawiarnia kahvila caffetteria hotel hostel pension gasthaus gasthof ristorante restaurante auberge albergo ' +
    'sparkasse volksbank raiffeisenbank banque banca banco ' +
    'poliklinika polyclinique policlinico poliambulatorio polikliniek poliklinik ' +
    'treuhand steuerbuero gestoria commercialista revisjon revision ekonomibyra regnskabskontor ' +
    'versicherung assurances seguros assicurazioni verzekeringen forsikring forsakring pojistovna ' +
    'verlag editions editorial editore uitgeverij forlag forlaget nakladatelstvi wydawnictwo ' +
    'stiftung fondation fundacion fundacio fondazione fundacao stichting stiftelsen fundacja nadace alapitvany ' +
    'theater theatre teatro teater teatret divadlo teatr ' +
    'gemeindehaus pfarramt paroisse parroquia parrocchia paroquia parafia farnost sognegard menighetshus ' +
    'druckerei imprimerie imprenta tipografia drukkerij trykkeri tiskarna drukarnia ' +
    'autohaus busreisen autocares autocars buchhandlung librairie libreria livraria boekhandel boghandel ksiegarnia knihkupectvi ' +
    'ayuntamiento ajuntament gemeente gmina svazek communaute landratsamt bezirksamt landkreis'
  ).split(' '),
);
/** Words for a branch, which is the site's own. */
const BRANCHES = new Set(
  (
    'niederlassung zweigniederlassung zweigstelle filiale geschaftsstelle aussenstelle regionalburo standort ' +
    'branch succursale antenne sucursal delegacion filial delegacao sede vestiging avdeling avdelning afdeling ' +
    'toimipiste oddzial filia pobocka prevadzka telephely fiokiroda sucursala sube podruznica'
  ).split(' '),
);
/** Ends of such words: "Schildersbedrijf Mulder", "Gebäudereinigungsbetrieb Huber". */
const KIND_ENDS =
  /.(?:bedrijf|betrieb|agentur|verlag|druckerei|backerei|metzgerei|gartnerei|schreinerei|tischlerei|kellerei|brauerei|spedition|bibliothek|bibliotek|museum|theater|forlag|bageri|bryggeri|trykkeri|buchhandlung|installationen|klinikk?(?:en)?|legesenter)$/u;
/** The same, before a particle: "Ville de Tours" is a town, "Ville Korhonen" a person. */
const KINDS_WITH_PARTICLE = new Set('ville city town borough county commune'.split(' '));
/** "Our", and articles: the speaker's own. */
const OWN =
  /^(?:our|my|unser|unsere[rmns]?|notre|nos|nuestr[oa]s?|noss[oa]s?|nostr[oaie]|il|onze|ons|vor|vores|var|vart|nas[ez]?|nasza|nasi)$/u;
const PARTICLES =
  /^(?:de|des|du|del|della|dello|di|da|do|dos|das|van|von|of|the|la|le|les|el|il|al|der|den|zum|zur|i|w|obci|obce)$/u;
/** At the beginning of a sentence, they have a capital, too. */
const ARTICLE =
  /^(?:die|der|das|den|dem|des|eine?[mnrs]?|diese[mnrs]?|jede[mnrs]?|im|am|zur|zum|vom|beim|in|an|bei|mit|fur|von|und|oder|nach|het|een|the|an?|this|your|de|den|det|et|en|le|la|les|l|il|lo|el|los|las|un|une|una|o|os|as)$/u;
const MAX_PARTICLES = 2;
const MAX_WORDS_OF_NAME = 4;
const SHORTEST_LABEL = 6;
/** Of a line. */
const MAX_WORDS = 60;

/**
 * Whether a text names an organisation by its kind, such as a gallery or an agency, that is not the site's.
 * @param siteName a site that has the word in its own name is of that kind
 */
export function namesOtherKind(
  text: string,
  isHost: (name: string) => boolean,
  siteName: string,
): boolean {
  const words = text.match(/[\p{L}\p{M}\p{N}'’&.-]+|[^\p{L}\p{M}\p{N}\s]/gu) ?? [];
  const ownKey = organizationKey(siteName);
  return words.some((word, at) => {
    const kind = plainLetters(word);
    const isKind =
      KINDS.has(kind) ||
      KIND_ENDS.test(kind) ||
      (KINDS_WITH_PARTICLE.has(kind) && PARTICLES.test(plainLetters(words[at + 1] ?? '')));
    if (!isKind || ownKey.includes(kind)) return false;
    if (OWN.test(plainLetters(words[at - 1] ?? ''))) return false;
    const name = nameBehind(words, at + 1) || genitiveBefore(words, at);
    return (
      name !== '' &&
      !isHost(name) &&
      !isHost(`${word} ${name}`) &&
      !ownKey.includes(organizationKey(name))
    );
  });
}

/** Whether a name begins with the kind of an organisation: "Café Spaden" is nobody. */
export function beginsWithKind(name: string): boolean {
  const [first = '', second] = plainLetters(name).split(/\s+/u);
  return second !== undefined && (KINDS.has(first) || BRANCHES.has(first));
}

/** The capitalised words of a name, past particles; empty when there are none. */
function nameBehind(words: readonly string[], from: number): string {
  let at = from;
  while (at < from + MAX_PARTICLES && PARTICLES.test(plainLetters(words[at] ?? ''))) at += 1;
  const name: string[] = [];
  for (let word = words[at]; word && /^\p{Lu}/u.test(word); word = words[(at += 1)]) {
    if (name.length >= MAX_WORDS_OF_NAME) break;
    name.push(word);
  }
  return name.join(' ');
}

/** "Korsør Biblioteks", "Furnes Dyreklinikk": after a name. */
function genitiveBefore(words: readonly string[], at: number): string {
  const [before = '', word = ''] = [words[at - 1], words[at]];
  const isName = /^\p{Lu}/u.test(before) && !ARTICLE.test(plainLetters(before));
  return isName && /^\p{Lu}/u.test(word) ? before : '';
}

/** Whether a line spells out the domain of an address: "Acme Works, info@acmeworks.test". */
export function spellsDomain(
  text: string,
  domain: string,
  isHost: (name: string) => boolean,
): boolean {
  const label = organizationKey(domain.split('.')[0] ?? '');
  if (label.length < SHORTEST_LABEL) return false;
  const words = (
    text.match(/(?<![@\p{L}\p{N}.-])[\p{L}\p{M}\p{N}'’&-]+(?![@\p{L}])/gu) ?? []
  ).slice(0, MAX_WORDS);
  for (let from = 0; from < words.length; from += 1) {
    let joined = '';
    for (let to = from; to < words.length && joined.length < label.length; to += 1) {
      joined += organizationKey(words[to] ?? '');
      if (joined === label) return !isHost(words.slice(from, to + 1).join(' '));
    }
  }
  return false;
}
