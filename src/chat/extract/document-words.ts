import { stemDistinct } from './everyday-words.ts';

/**
 * What people say when they ask, and what manuals, handbooks and reference pages say for it: weaker than a synonym, and
 * in one direction. No word of a trade or a product is among them: they fit any collection.
 */
const SAID =
  // Taking away, and bringing back.
  'rid wipe trash dump chuck toss scrap: remove delete erase purge clean clear discard drop prune|' +
  'throw: discard drop delete remove revert|lose: delete discard drop|lost gone vanished: recover deleted missing removed|' +
  'clean tidy cleaned cleanup: prune purge remove delete clear expire|empty: clear purge remove|' +
  'strip: remove omit exclude|kick expel ban: remove revoke block deny|cut: shorten reduce truncate trim|' +
  'undo unwind: revert restore reset discard cancel|back: restore recover revert previous|' +
  'rescue salvage retrieve: recover restore|recover: restore retrieve|forget forgot forgotten: reset recover lost|' +
  'drop: remove delete discard|delete remove: prune purge clear discard uninstall drop|' +
  // Making, changing, keeping.
  'make: create build generate produce define|create: generate initialize define new|' +
  'produce: generate create output emit|set: configure define specify assign|' +
  'change modify: edit override configure adjust customize replace update amend rename set|' +
  'customize customise tweak tune: configure override adjust custom setting optimize|' +
  'override: replace change custom|rewrite: edit change amend|rename: move name|' +
  'move: transfer migrate relocate rename|copy duplicate clone: replicate backup copy|' +
  'put place: store save add insert set location|keep: store save retain preserve maintain hold|' +
  'kept stored saved live lives located sits: location path directory folder file stored default|' +
  'save store: keep record cache write persist|remember: store save record cache reuse|' +
  'hold: contain store keep|write: save log output record|' +
  'combine merge join: squash merge concatenate combine join together|glue mix: combine merge join|' +
  'split: divide separate chunk|separate: split isolate distinct|' +
  'shrink squeeze smaller: compress reduce minify minimize size|compress zip: archive gzip deflate minify compression|' +
  'unpack unzip: extract|pack bundle: package archive bundle|' +
  'embed embedded inlined: inline include|inline: embed|include: contain add import|' +
  'replace swap: substitute exchange override|exchange: replace convert|' +
  'convert turn: transform translate convert change export|translate: map convert|' +
  'fix mend repair cure: correct resolve solve amend troubleshoot edit|' +
  'typo typos misspelled misspelt misspelling: spelling mistake error correct syntax|' +
  'mistake mistakes: error wrong correct|wrong bad: invalid incorrect error|' +
  'update upgrade: newer version migrate|' +
  // Starting, stopping, waiting.
  'start launch boot fire kick: run begin invoke initiate open start|run: execute start invoke|' +
  'stop quit: exit terminate end kill disable prevent abort|cancel: abort terminate revoke|' +
  'prevent avoid stop: disable block ignore suppress prevent avoid protect|' +
  'block ban: deny forbid reject restrict refuse prohibit|forbid: deny prohibit restrict|' +
  'refuse refuses: reject deny require fail|allow let: permit enable accept grant authorize|' +
  'permit: allow grant|ignore skip: exclude omit bypass ignore disable|skip: ignore omit bypass|' +
  'exclude: ignore omit except|exception exceptions except: negate exclude unless override|' +
  'pause: suspend stop|wait waits: timeout delay seconds|delay: timeout wait|' +
  'hang hangs hung stuck freeze frozen: timeout block wait stall|' +
  'slow sluggish lag lags: performance latency expensive overhead slower|fast faster quick quicker speed: performance optimize efficient|' +
  'throttle: limit rate bandwidth|restart reload: reboot graceful restart again|' +
  'force forced: require enforce must mandatory|enforce: require force|' +
  'enable: activate allow turn|disable: deactivate prevent|activate: enable|' +
  // Looking and finding.
  'see view look: show display list inspect output visible print read|show: display list print output|' +
  'list: show display print enumerate|print: output display show|display: show render|' +
  'hide conceal: suppress disable invisible omit prevent|silence quiet mute: suppress quiet disable|' +
  'find locate: search identify detect determine show list|search: find query match|hunt: search find|' +
  'seek: search request|detect notice: recognize identify watch|check: verify test validate inspect examine status|' +
  'verify: check validate confirm|test try: check verify run|compare: difference diff versus|' +
  'difference differ: differ distinguish versus compare unlike whereas|count: number total summarize|' +
  'watch monitor: observe status track|track: monitor record log follow|follow: track|' +
  'know tell: specify show determine inform|say: specify state|inspect examine: view show|' +
  'visible seen: exposed shown public available|exposed leak leaks leaked: expose visible public security|' +
  // Getting and giving.
  'get grab fetch: obtain retrieve download receive fetch|obtain: get receive|' +
  'download: fetch retrieve get|send mail: submit deliver email transmit|give hand: provide assign grant|' +
  'share publish: release public distribute|take: use apply accept|pull: fetch download|' +
  'forward redirect: proxy redirect forward pass relay|reach: access connect available|' +
  'connect: access attach link|access: reach connect permission|' +
  'use: apply employ|need needs: require must prerequisite|necessary: required|required: must need|' +
  'choose pick select: specify choose option|ask request: prompt query apply|' +
  'answer reply respond responds: response return reply|apply: request submit|' +
  'accept: allow|deliver: send|' +
  // Amounts and times.
  'biggest largest highest greatest longest max: maximum limit most|most: maximum|' +
  'smallest lowest shortest least: minimum|big large size: size limit maximum length bytes|' +
  'small tiny: less smaller size minimum limit|small smaller: less below threshold under|' +
  'many: number limit count|enough: sufficient|allowed: limit maximum permitted|limit: maximum restrict threshold quota|' +
  'cap quota: limit maximum|threshold: limit|warning: limit threshold|' +
  'often frequently: frequency every interval schedule|long: duration timeout seconds days period|' +
  'schedule scheduled: interval frequency regularly|soon: within deadline|late: overdue deadline after|' +
  'deadline: due within|expire expires expired: valid lifetime expiration|outdated stale old: expire obsolete deprecated|' +
  'newest latest recent: most recent last|oldest: earliest first|daily nightly: day interval|' +
  'automatically automatic auto: automatic automatically default|itself alone: automatically|' +
  'otherwise normally usually unset unspecified: default|standard preset: default|' +
  'simultaneously: concurrent parallel|parallel: concurrent|once: single|' +
  'gradually: incremental|immediately: instant now|extra: additional|spare: additional|' +
  // Trouble.
  'problem trouble issue: error failure troubleshoot|crash crashes crashed: fail failure error abort|' +
  'broke break breaks broken: fail error bug broken|buggy bug: error faulty bad|' +
  'fail fails failing: error failure|complain complains: error warning|error errors: failure problem message|' +
  'attack attacker hack hacked hacker: security protect denial|danger dangerous risk risks risking risky: security secure warning unsafe caution|' +
  'safe safely: secure security protect|secure protect: security restrict encrypt|' +
  'encrypted: unencrypted plaintext encryption|password passwords: credential credentials authentication|' +
  'login signin: authenticate authentication credential|' +
  'secret: confidential credential|private: restricted personal|' +
  // Things.
  'folder folders: directory path|directory: folder path|picture pictures photo photos icon: image images|' +
  'movie: video|website site: web page host domain|homepage: index page|program programs tool: command utility application script|' +
  'tool: utility command program|app apps: application|command: option utility|flag switch: option parameter argument|' +
  'option setting: parameter configuration directive property|config: configuration setting|' +
  'helper: utility|extension addon plugin plugins: module extension plugin|machine computer pc box: host system server|' +
  'disk: filesystem storage file|line: row|layout: format|kind sort: type|name called: title identifier|' +
  'text string: content plain|version: release|domain: host name|' +
  'visitor visitors: user client request|user people everybody everyone: users members everyone|' +
  // Work and money.
  'boss: manager supervisor lead|colleague coworker teammate coworkers colleagues: employee staff peer team member|' +
  'company employer firm: organization employer business|job: position role work|hire: recruit employ candidate|' +
  'fired dismissed: terminate dismissal|quit resign leaving: resignation depart separation offboarding|' +
  'pay paid: payment compensation reimburse salary cost|salary wage: pay compensation|' +
  'refund: reimburse reimbursement return credit|reimbursed: reimbursement expense|spend spent: expense purchase|' +
  'buy bought: purchase order acquire|sell sold: sale|owe owed owes: debt liability due payable receivable|' +
  'borrow borrowed lend lent: loan|bill: invoice|income earnings: revenue|' +
  'profit loss: gain income|worth: value price|cheap cheaper: cost price|' +
  'holiday vacation: leave absence off|sick ill: medical leave health|baby pregnant: parental birth maternity|' +
  'doctor: medical health|trip trips travelling traveling: travel|hotel: lodging accommodation|flight flights plane: air travel airfare|' +
  'meal food lunch dinner: meals per diem|train bus: transportation|' +
  'home remotely remote: telework remote|course class classes: training|learn learning: training education|' +
  'phone: mobile telephone|laptop: computer equipment device|desk: office workspace|' +
  'meet meeting: call conference|talk chat: discuss message contact communicate|contact: email reach|' +
  'help: support assistance contact|rule rules: policy guideline requirement|form: template document|' +
  'review feedback: evaluation assessment|raise: increase promotion|goal: objective|' +
  'new newcomer starter: onboarding first|' +
  // Doing.
  'stash shelve aside park: save store away later|tuck: store hide|unfinished incomplete half: partial draft pending progress|' +
  'moment temporarily briefly: temporary away|permanently forever: permanent always|' +
  'halving halve bisecting: binary bisect half|upkeep: maintenance|care: maintain manage handle|' +
  'handle deal: manage process|manage: administer maintain control|control: manage restrict configure|' +
  'hook attach plug: connect attach add register|bind tie: associate link bind|tied: associated bound|' +
  'point: refer specify direct link|refer refers: mean denote name reference|mean means: denote represent stand refer|' +
  'touch touched: modify change author|author authored: write creator|whose: owner author|' +
  'hop hops jump jumps: switch next move|taken occupied busy: already use used available|' +
  'free vacant: available unused|available: accessible|exist exists: present available|' +
  'gone vanish vanishes disappear disappears: removed deleted missing|missing absent lacking: missing without lack|' +
  'fire fires fired trigger triggers: emit event trigger invoke call|happen happens: occur event|' +
  'react respond: handle event|obey: respect honor follow|respect: honor obey|' +
  'guess guesses: detect infer determine|know knows: aware track recognize|aware: know|' +
  'pretend fake spoof: simulate override dummy mock|mimic: simulate emulate|' +
  'experiment try: test|rehearse preview: dry simulate preview|dry: simulate|' +
  'undone reversed: reverted|repeat: again retry repeat|redo again: repeat retry rerun|' +
  'swallow eat eats: consume ignore|burn waste: consume|spare: avoid|' +
  'spread scatter: distribute|gather collect: aggregate collect accumulate|pile: accumulate|' +
  'tag label mark: label annotate mark tag name|flag: mark option|note: comment remark annotate|' +
  'explain describe: description document|describe: description|name: identifier specify|' +
  'sum add total: total sum|subtract deduct: minus withhold|' +
  'order arrange rank: sort order|sort: order type|group: category organize|organize organise: arrange structure|' +
  'filter narrow: restrict select filter|restrict: limit|narrow: restrict|' +
  'jump: navigate|browse: navigate view|scroll: navigate|navigate: browse|' +
  'freeze pin lock: fixed lock|unlock: release lock|lock: exclusive|' +
  'nest nested inside within: embedded nested sub contained|nested: recursive submodule inner|outer: parent|' +
  'mirror sync: replicate synchronize copy|synchronize: sync update|' +
  'guard defend shield: protect prevent|protects: prevent limit security|stolen theft: steal|' +
  'sneak bypass circumvent evade: bypass skip override|' +
  'survive outlive: persist keep remain|persist: store save keep|last lasts: duration remain valid|stay remain: keep persist remain|' +
  'grow grows: increase expand|shrinks: decrease|rise: increase|increase raise: higher larger increment|decrease lower reduce: less smaller reduce decrease|' +
  'double: twice duplicate|duplicates twice copies: duplicate copy|same identical: equal identical duplicate|' +
  'unlike: different|equal: same|similar: like|' +
  'near close: adjacent|far: remote distance|remote: distant|local: own machine|' +
  'online: internet web|offline: disconnected without network|internet: network online web|wifi wireless lan: network address host|' +
  'phone tablet mobile: network device external address|outside external: external public network|' +
  'public: everyone world anyone|world: public everyone|anyone anybody: everyone public user|' +
  'somebody someone people folks: user users person client|everyone everybody: all user|stranger strangers: unauthorized anonymous public|' +
  'visitors: users clients|colleague: somebody others|others: another other|mine own: own local current|' +
  'theirs: remote other|yours: own|upstream: remote original|' +
  'original: source initial|source: origin|first: initial beginning|last final: latest end|' +
  'beginning: start first|end: finish last|middle: center|top: first upper|bottom: last lower|' +
  'half: partial|whole entire complete: full all entire|full: complete entire|all: every entire|' +
  'some certain: selected specific particular|certain: specific particular|only: restrict limit exclusive|' +
  'specific: particular|particular: specific|each: every per|per: each|' +
  'several multiple many: multiple several many|single one: single individual one|both: two|two: multiple second|' +
  'few handful: limit number small|huge enormous massive large: large big|' +
  'old ancient legacy: older legacy outdated previous|older: legacy previous|modern: new recent|' +
  'fresh clean new: new initial clean|brand: new|' +
  'ugly messy: format|pretty nice: format style|readable human: format pretty|format: style layout|' +
  'raw plain literal: raw plain literally escape|literal literally: escape verbatim|verbatim: literal raw|special: escape reserved|' +
  'escape: quote literal backslash|quote: escape|dollar: variable|' +
  'broken corrupt corrupted damaged: corrupt damage integrity error|damage: harm loss|harm hurt: damage affect|' +
  'hurt affect: impact influence|affects: impact|effect: result impact consequence|' +
  'cause causes: reason result lead|why reason: because reason cause|result: outcome output|' +
  'sign: signature|certificate cert certs: certificate|cert: certificate|proof evidence: receipt document verification|' +
  'receipt: proof invoice|approve okay: approval authorize permit|approval: approve permission|permission: approval allow authorize|' +
  'unhappy complaint complain: grievance report|harassed bullied bullying: harassment|report: notify tell|tell: report inform notify|' +
  'emergency urgent: emergency immediately|quickly: immediately fast|' +
  'where: location directory path|when: time date|how: method way procedure|' +
  'method way: procedure approach method|procedure: process step|step: procedure|' +
  'teach teaches: train tutorial guide|guide tutorial: manual introduction|manual: guide documentation|docs: documentation|' +
  'chance likelihood: probability|guess: estimate|estimate: approximate|' +
  'computer computers: machine device host|notebook: laptop|gadget: device|equipment: hardware device supplies|' +
  'screen monitor: display|keyboard: key shortcut|mouse: click pointer|button: click control|window: dialog view|' +
  'letter letters: character mail|character characters: letter string|word words: text string term|sentence: text|' +
  'number numbers: value integer count|figure figures: number amount value|value: amount worth|' +
  'money cash: payment funds amount currency|cash: money currency|funds: money account|' +
  'bank: account statement|statement: account report|account: user login|' +
  'card: credit|debt: loan liability owe|loan: mortgage liability|mortgage: loan|house home: property real estate|' +
  'car: vehicle automobile|drive: vehicle mileage|gas fuel: mileage vehicle|parking: vehicle|' +
  'stock stocks share shares: investment security securities|stocks: securities|bond bonds: security investment|' +
  'interest: rate|tax taxes: tax taxable vat|bookkeeping books: accounting ledger|ledger: account register|' +
  'register: ledger|entry: transaction record|record: entry transaction|transaction: entry|' +
  'customer client: client customer|supplier: vendor|vendor: supplier|shop store: vendor|' +
  'worker staff personnel: employee|employee: staff|team: group|department: division office|' +
  'leader: supervisor lead manager|mentor buddy: onboarding facilitator|' +
  'weekend evening night: overtime hours schedule|hours: schedule time|overtime: extra hours|' +
  'remote home: telework|move moving: relocate relocation|relocate: move|' +
  'insurance: benefits coverage|retirement pension: retirement|benefits: insurance|' +
  'religion religious: observance|death died funeral: bereavement|jury court: leave legal|military: uniformed|' +
  'donate donation: gift contribute|gift present: donation|contribute: donate submit|' +
  'open: view launch|close: end finish|shut: close|' +
  'type enter: input enter type|input: enter|press hit: click key|click: press select|tick: check select|' +
  'drag: move|paste: insert|insert: add|attach: add include|' +
  'draw: create shape|color colour: color|font: text|bold: style|style: format css|' +
  'picture: graphic|graphic: image|sound: audio|video: media|' +
  'hit hits: match request access|match: equal|guess: match';

const PHRASES: readonly (readonly [phrase: RegExp, words: string])[] = [
  [
    /\b(?:(?:if|when|unless|without) (?:i|you|we|nothing|none|nobody|it|no \w+|(?:i|you|we) (?:do not|don['’]?t|give no|set no|say no))\b.{0,40}\b(?:set|setting|tell|told|say|said|specify|specified|give|given|configure[ds]?|choose|change|otherwise|else|defaults?)\b|out of the box|by itself|normally)/iu,
    'default',
  ],
  [
    /\bhow (?:many|much|big|large|long|high) (?:can|may|could|is .{1,30} allowed)|\bat most\b/iu,
    'maximum limit',
  ],
  [/\bat least\b|\bhow (?:small|few)\b/iu, 'minimum'],
  [
    /\bwhere\b.{1,60}\b(?:stored|kept|saved|keep|keeps|store|stores|live|lives|located|put|write|writes)\b/iu,
    'path directory location',
  ],
  [/\bhow (?:do|can|to|would|could)\b.{1,40}\b(?:get|install)\b/iu, 'install'],
  [/\bwhy\b/iu, 'because reason'],
  [/\b(?:at the same time|side by side|in parallel|at once)\b/iu, 'concurrent parallel'],
  [/\bin the background\b/iu, 'background daemon'],
  [/\b(?:only|just) (?:some|certain|a few|one)\b/iu, 'restrict limit'],
  [/\b(?:from|on|in) the (?:command line|terminal|shell|console)\b/iu, 'option command'],
  [/\b(?:my|an?) (?:phone|mobile|laptop|other (?:machine|computer|device))\b/iu, 'network device'],
];

/** Stem → stems of what documents say for it. */
export const DOCUMENT_STEMS: ReadonlyMap<string, ReadonlySet<string>> = readGroups(SAID);

/** Words that documents probably have for a phrase of the question. */
export function impliedWords(question: string): string[] {
  return PHRASES.flatMap(([phrase, words]) => (phrase.test(question) ? words.split(' ') : []));
}

function readGroups(text: string): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const group of text.split('|')) {
    const [asked = '', said = ''] = group.split(': ');
    const stems = said.split(' ').map(stemDistinct);
    for (const word of asked.split(' ')) {
      const stem = stemDistinct(word);
      const known = groups.get(stem) ?? new Set<string>();
      groups.set(stem, known);
      for (const other of stems) if (other !== stem) known.add(other);
    }
  }
  return groups;
}
