import { stemDistinct } from './everyday-words.ts';

/** Verbs, adjectives and adverbs of everyday speech, for which a manual mostly has a word of its own. */
const PARAPHRASED =
  // Doing something to a thing.
  'achieve affect aim alter apart appear approach arrange attempt avoid await balance beat behave blame bother bounce bump ' +
  'bunch carry catch cause cease chase cheat chop chuck clean collapse collect combine complain complete concern confuse ' +
  'consider contain continue convince cope correct cover crop cure cut damage deal decide decrease define depend deserve ' +
  'destroy detect determine die dig dim discover divide double doubt drag drain dump ease elaborate eliminate embed emit ' +
  'emphasise emphasize encounter encourage enforce enjoy enlarge ensure escape establish estimate exceed expect ' +
  'experience explore extend face fade fall feel fetch figure fill finish fit flip fold follow force forget gain gather ' +
  'gone grab grow guarantee guess guide hang happen hate heal help hide hit hold hook hope hurt ignore illustrate imagine ' +
  'improve include increase indicate influence intend interfere invent involve isolate join jump justify keep kick kill ' +
  'lack last lay lead leak lean leave lessen lift listen live loosen lower maintain manage matter maximise maximize mess ' +
  'minimise minimize miss mix move narrow neglect notice obey object observe obtain occur omit operate overcome overlap ' +
  'participate paste peek pick pile place plan please point pop postpone pour prefer prepare press pretend prevent proceed ' +
  'produce promise protect prove provide pull punish push put puts quit raise reach react realise realize receive ' +
  'recognise recognize recommend reduce refer reflect refuse regret rely remain remember remind repeat replace represent ' +
  'require respect respond rest result retrieve return reuse reveal rid ruin rush satisfy scatter scratch search seem ' +
  'separate serve settle shift shorten shout shove shrink shut simplify sit skip slide smash smooth sneak solve sort spare ' +
  'speed spend split spoil spot spread squeeze stay stick strengthen stretch strip struggle stuck succeed suffer suggest ' +
  'suit supply suppose suppress surround survive suspect swallow swap tackle talk tear tend throw tidy tie touch trace ' +
  'transform treat trick trigger trim trust tune tweak twist understand unite vary wander warn waste watch wipe wish wonder ' +
  'worry wrap ' +
  // What something is like.
  'able absent accidental additional afraid allergic alone alternative ambiguous annoying apparent appropriate awful ' +
  'awkward bad basic beautiful blank blurry bold brief bright broad broken capable careful certain cheap clean clear ' +
  'clever close comfortable common complete complex complicated considerable consistent constant convenient cool crazy ' +
  'critical cute dark deep definite dense desired detailed dim dirty distinct dull eager early easy effective efficient ' +
  'elegant empty enormous entire equal equivalent essential evil exact excellent exclusive extra extreme faint fair ' +
  'familiar famous fancy fat fine firm flexible foolish former forward fragile free frequent fresh friendly full funny ' +
  'further future general gentle genuine glad handy happy hard harmful harsh heavy helpful hidden honest huge ' +
  'identical ill imaginable immediate important impossible inappropriate individual inevitable initial inner innocent ' +
  'intact intelligent interesting latest lazy light likely little lone loose lovely low lucky mad main major manual mere ' +
  'messy mild minor missing moderate modern mysterious nasty natural nearby neat necessary nice noisy obvious odd old ' +
  'ordinary original outer overall particular peculiar perfect plain pleasant poor popular powerful practical precise ' +
  'pretty previous primary prior prominent pure rare rational raw ready real reasonable recent regular relevant reliable ' +
  'remarkable responsible rough sad safe same satisfactory separate serious severe sharp sheer short silent silly similar ' +
  'single slight slow small smart smooth soft solid sophisticated spare special steady steep straight strange strict ' +
  'striking strong stupid subtle successful sudden sufficient suitable superior suspicious tall temporary terrible thick ' +
  'thin tight tiny tough tricky trivial true typical ugly unable unclear unexpected unfair unhappy uniform unique unknown ' +
  'unlikely unnecessary unpleasant unusual unwanted upper upset usable vague valid valuable vast visible vital wasteful ' +
  'weak weird whole wide wild wise wonderful worried worse worst wrong ' +
  // How, when and how much.
  'absolutely accidentally actually afterwards again ago ahead almost already altogether anymore anyway apart apparently ' +
  'approximately aside automatically away back badly barely basically briefly carefully closely completely constantly ' +
  'correctly deliberately directly early effectively elsewhere enough entirely equally especially eventually exactly ' +
  'extremely fairly finally forever frequently fully generally gradually half hardly heavily hence highly hopefully ' +
  'ideally immediately indeed individually initially instantly later lately likewise mainly manually maybe meanwhile ' +
  'merely mostly mutually namely nearly nicely nowadays occasionally oddly once otherwise overnight partially ' +
  'particularly perfectly permanently perhaps practically precisely previously primarily probably rather readily ' +
  'reasonably recently regardless regularly reliably repeatedly roughly seldom separately seriously simultaneously ' +
  'slightly slowly smoothly solely somehow sometimes somewhat somewhere strictly strongly suddenly temporarily thoroughly ' +
  'together totally truly twice unfortunately ' +
  // Things without properties.
  'amount aspect bit bunch case chance chunk circumstance concept consequence course detail effect element end fact feature ' +
  'form idea issue item kind lot manner matter mess method moment occasion part piece place plenty point portion ' +
  'person people somebody everybody somewhere possibility problem procedure process question reason result rest role sake sense side situation sort spot stage step ' +
  'story stuff task technique thing time topic trick trouble truth type variety version way world ' +
  // The largest, and what stands beside a request.
  'biggest largest smallest highest lowest longest shortest oldest newest fastest slowest latest earliest nearest ' +
  'those else myself yourself itself himself herself themselves ourselves unless otherwise told stand stands waiting ' +
  'hundreds thousands dozens oneshot';

/** Stems of words that a passage may well answer without. */
export const PARAPHRASED_STEMS: ReadonlySet<string> = new Set(
  PARAPHRASED.split(' ').map(stemDistinct),
);
