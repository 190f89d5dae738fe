import { foldWord } from '#src/documents/fold-word.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { tokenizeWords } from '#src/documents/tokenize.ts';

/** Question words beyond those of grammar: they say how something is asked, not what about. */
const OF_ASKING =
  'able actually allow allowed also alway anybody anyone anything available become best better big bit bring come ' +
  'concerning correct current currently deal describe differ difference different easily even ever ' +
  'everybody everyone everything exactly example exist explain far find get getting give given go goes going good got ' +
  'great guy happen instead kind know let like long look lot make making ' +
  'mean meaning means need needed never new nobody normal normally nothing number often ok people perform ' +
  'please possible proper properly purpose quick quickly really ' +
  'recommended regarding right say see seem should simple soon somebody someone something specific ' +
  'still stuff sure take tell thank thanks thing things time today together tomorrow try type typically use used ' +
  'useful user uses using usual usually want way ways well went whole work working works yesterday ' +
  'several various multiple';

const CONTRACTED =
  'arent aren cant couldnt couldn didnt didn doesnt doesn don dont hadnt hasnt hasn havent haven hello hey hi hows id im ' +
  'isnt isn ive lets mustnt shouldnt shouldn thats theres theyre wasnt wasn weve werent whats wheres whos wont wouldnt ' +
  'wouldn youre etc whether along among around behind beside besides beyond despite toward towards onto throughout much many per via whatever whenever wherever since though although';

/** Words of grammar and of questions in the languages that the builtin search meets most. */
const OF_OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  de:
    'aber alle als also am an auch auf aus bei bekomme bin bis bist das dass dem den denn der des die dies diese dieser ' +
    'dieses doch dort du durch ein eine einem einen einer eines er es etwas euch für gab geht gibt habe haben hat hatte ' +
    'hier ich ihm ihn ihr ihre im in ist ja kann kannst kein keine können könnte lange machen man mein meine mich mir ' +
    'mit muss müssen nach nicht noch nur ob oder ohne schon sehr sein seine sich sie sind so soll sollte über um und ' +
    'uns unser unter viel viele vom von vor wann war warum was weil welche welchem welchen welcher welches wenn wer ' +
    'werden wie wieso wir wird wo woher wohin wurde zu zum zur darf dürfen gehört gehören bitte',
  fr:
    'à ai as au aux avec avez ce ces cette comment combien dans de des du elle en est et être il ils je la le les leur ' +
    'lui ma mais me mes moi mon ne nos notre nous on ont ou où par pas pour pourquoi puis-je peut peux quand que quel ' +
    'quelle quelles quels qui quoi sa se ses si son sont sur ta te tes toi ton tu un une vos votre vous y fait faire',
  es:
    'a al cómo como con cuál cuáles cuándo cuánto cuántos cuántas de del desde dónde donde el él en es esta está este ' +
    'esto hay ha la las lo los más me mi mis no nos para pero por porque puede puedo que qué quién quiénes se ser si ' +
    'sí sin sobre son su sus te tiene tu un una uno unos y ya yo hacer hago',
  it:
    'a ad al alla che chi ci come con cosa cui da dal de dei del della delle di dove e è gli ha hai ho i il in io la le lo ' +
    'mi ne nel nella non o per perché più posso può qual quale quali quando quanto quanti questo se si sono su un una uno',
  nl:
    'aan als bij dat de den der dit door een en er ze het hij hoe hoeveel ik in is je kan kunnen lang maar met mijn moet ' +
    'mogen naar niet of om onze ook op over te tot uit van veel voor waar waarom wanneer wat we welke wie wij wordt zijn zo',
  pt:
    'a ao aos as com como da das de do dos e é ela ele em essa esse esta este eu foi há isso mais mas me meu minha na não ' +
    'nas no nos o onde ou para pela pelo por porque posso pode quais qual quando quanto quantos que quem se sem seu sua ' +
    'são um uma você fazer faço',
};

/**
 * Near synonyms in everyday questions and manuals. A question with one word of a group may be answered with another.
 */
const NEAR =
  'delete remove erase drop discard purge clear rid disappear vanish|pause suspend freeze halt interrupt|rent hire lease|' +
  'add create insert register new make|change modify edit alter update adjust|' +
  'disable deactivate disconnect off turnoff switchoff|enable activate|turn switch|cancel terminate|undo revert rollback reverse|' +
  'cost price fee charge pay paid euro dollar pricing|buy purchase acquire|vacation holiday timeoff|salary wage earn income pay|' +
  'boss manager supervisor|employee staff colleague personnel worker|people person employee worker staff member|company firm organization organisation business|' +
  'picture image photo|begin start launch|stop end finish halt quit|phone telephone|car vehicle automobile|' +
  'bike bicycle|note certificate|lost lose missing|stolen steal theft|login log sign signin logon|' +
  'error fault failure problem bug|fix repair mend solve resolve|show display list view|permit enable may permission right|' +
  'forbid forbidden prohibit ban disallow|limit maximum max cap quota most limitation|minimum min least|' +
  'size big large length|duration period|invoice bill|customer client|folder directory|' +
  'setting option configuration parameter preference variable directive|configure setup set configuration|' +
  'install installation setup|send post submit push transmit|receive obtain fetch|try attempt retry|fast quick speed performance|' +
  'crash fail break|safe secure protect security protection|restrict protect|backup copy|restore recover|' +
  'upgrade update|website site page|mail email|guest visitor|child kid|garbage waste trash rubbish|' +
  'reimburse refund repay reimbursement money moneyback|replace exchange swap substitute|retain retention keep kept store|' +
  'expire lapse expiry expiration|choose select pick|notify tell inform alert notification|annual yearly year|' +
  'monthly month|weekly week|daily day|hourly hour|wifi wireless wlan network|require necessary requirement must|' +
  'write author|leader head lead chief|elect election vote|request claim apply ask|' +
  'call contact reach|block drop reject deny filter|accept approve approval|save store|kill stop terminate|' +
  'index ingest|upload push attach|download fetch export|resume continue|share public|test check verify|' +
  'compress deflate gzip|custom own|redirect forward|default standard|incoming input inbound|outgoing output outbound|' +
  'build compile|machine computer system host|fit seat hold capacity|large big|meaning definition|rate limit throttle|' +
  'bandwidth rate|book reserve booking|repository repo|url address link|automatically automatic unattended|' +
  'mistake accident accidental accidentally inadvertent inadvertently unintentional|crooked tilted slanted skewed uneven|' +
  'shrink reduce decrease|enlarge increase|rotate turn|cut crop trim|join merge combine concatenate|split divide separate|' +
  'origin originate derive|gap spacing distance|program application software|prevent avoid|wrong incorrect false|' +
  'amount number count quantity|name title call|happen occur|contain include hold|previous earlier former|' +
  'invent discover create design develop|found establish create start|owner own belong|abbreviation acronym shortcut|' +
  'job task duty|empty blank|visible invisible hide hidden|explain describe|place position location|hinder block|' +
  'convert conversion|string text|number integer|slow latency|screen display|key token|member user|limit restrict';

/** Forms that no stemmer joins. */
const IRREGULAR =
  'forget forgot forgotten|send sent|keep kept|lose lost|pay paid|buy bought|write wrote written|steal stole stolen|' +
  'begin began begun|break broke broken|choose chose chosen|take took taken|give gave given|leave left|run ran|' +
  'make made|hold held|tell told|build built|spend spent|meet met|child children|sell sold|teach taught|grow grew grown|' +
  'know known knew|understand understood|draw drew drawn|drive drove driven|hide hid hidden|show shown|speak spoke spoken|' +
  'stand stood|throw thrown threw|wear wore worn|win won|withdraw withdrew withdrawn|overwrite overwritten|find found|' +
  'mean meant|lead led|feed fed|read|bring brought|think thought|catch caught|fall fell fallen|rise rose risen|' +
  'choose choice|fail failure|lapse|analyse analyze analysis|organise organize|licence license|colour color|' +
  'cancel cancelled canceled cancellation|retain retention|sleep slept|ask asked|seek sought|shut shutdown|' +
  'vary variation|describe description|subscribe subscription|renew renewal|decide decision|explode explosion|' +
  'permit permission|die dead death|born birth|long length|wide width|high height|deep depth|strong strength|expand expansion|' +
  'maximum max|minimum min|administrator admin|application app|repository repo|information info|' +
  'document documentation doc|configuration config|database db|environment env|language lang|directory dir|laboratory lab|' +
  'photo photograph|examination exam|advertisement advert ad|memorandum memo|demonstration demo|introduction intro|' +
  'specification spec|parameter param|argument arg|authentication auth|variable var|' +
  'statistics stats|department dept|mathematics math maths|synchronize synchronise sync|' +
  'picture pic|advice advise|proof prove|belief believe';

/** Past forms of a verb that are also another verb: "founded" is not a form of "found" as the past of "find". */
const FORM_OF_ANOTHER =
  'found bound wound ground fell saw felt lay rose spoke wore bore shed stove dove';

const split = (words: string): string[] => words.split(' ');

/** Words with little weight in a question, without the `s` of a third person or a plural. */
export const ASKING_WORDS: ReadonlySet<string> = new Set(
  split(OF_ASKING).map((word) => word.replace(/(?<=..)s$/, '')),
);

/** Remains of `isn't` and the like, and small words that are not in the embedder's list. */
export const CONTRACTED_WORDS: ReadonlySet<string> = new Set(split(CONTRACTED));

/** The same for other languages, each separately. */
export const OTHER_LANGUAGES: readonly {
  /** Whether the language capitalizes every noun. */
  hasCapitalNouns: boolean;
  words: ReadonlySet<string>;
}[] = Object.entries(OF_OTHER_LANGUAGES).map(([code, words]) => ({
  hasCapitalNouns: code === 'de',
  words: new Set(split(words).flatMap(tokenizeWords)),
}));

/** `found`, the past of "find", but not `found'`, the stem of "founded". */
export const FORMS_OF_ANOTHER: ReadonlySet<string> = new Set(split(FORM_OF_ANOTHER));

/**
 * The stem of a word without accents, kept apart from a verb whose past form looks the same: `founded` and `found`.
 */
export function stemDistinct(word: string): string {
  const stem = stemWord(foldWord(word));
  return stem !== word && FORMS_OF_ANOTHER.has(stem) ? `${stem}'` : stem;
}

/** Stem → stems of near synonyms. */
export const NEAR_STEMS = groupsOf(NEAR);
/** Every word of those groups → the stems of the others. */
export const NEAR_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  NEAR.split(/[ |]/).map((word) => [word, NEAR_STEMS.get(stemWord(word)) ?? new Set<string>()]),
);
/** Stem → stems of the same word. */
export const SAME_WORD_STEMS = groupsOf(IRREGULAR);

function groupsOf(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const group of text.split('|')) {
    const stems = split(group).map(stemWord);
    for (const stem of stems) {
      const known = groups.get(stem) ?? new Set<string>();
      groups.set(stem, known);
      for (const other of stems) if (other !== stem) known.add(other);
    }
  }
  return groups;
}
