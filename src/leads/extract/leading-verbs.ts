/** Verbs of leading and caring, at the end of the text before a name; the passive in languages that put it there. */
export const LED = new RegExp(
  `(?<!\\p{L})(?:${[
    '(?:led|run|headed|managed|chaired|looked after|overseen|coordinated|supervised|done|handled|taken care of) by',
    '(?:leitet|leiten|betreut|betreuen|führt|führen|verantwortet|verantworten)',
    '(?:dirig|anim|encadr|gér|ten|assur|coordonn|présid)(?:ée?|ue?)s? par',
    "(?:s['’]occupent?)",
    '(?:dirigid|coordinad|llevad|gestionad|atendid|coordenad|liderad|gerid|orientad|presidid)[oa]s? por',
    '(?:(?:est[áa]n?|fica|ficam) a cargo de)',
    '(?:(?:te|le|os|les|lhe|vous|nous|Sie|dich|Ihnen|u|je|vi|la|dig|deg|vă|vás) )(?:atienden?|reciben?|atendem?|accueill(?:e|ent)|begrüß(?:t|en)|empf(?:ängt|angen)|helpt|helpen|ontvang(?:t|en)|accoglie|accolgono|hjälper|hjelper|întâmpină|přivítá)',
    '(?:se (?:ocupan?|encargan?)|dirige|dirigen|coordina|coordinan)',
    '(?:dirett|guidat|curat|coordinat|gestit|tenut|rett|presiedut)[oaie] da',
    '(?:se ne occupano?|si occupano?|rispond(?:e|ono))',
    '(?:geleid|gerund|begeleid|verzorgd|gecoördineerd) door|leidt|leiden|verzorgt|verzorgen|coördineert',
    '(?:prowadzi|prowadzą|kieruje|kierują|opiekuje się|opiekują się|zajmuje się|zajmują się)',
    '(?:řídí|vede|vedou|vedie|vedú|riadi|zajišťuje|zabezpečuje|(?:má|mají|majú) na starosti|stará se|starají se|vodi|vode)',
    'vezeti|vezetik',
    '(?:leds|ledes|drivs|drives|sköts|styres|körs|ordnas|hanteras|varetages|ivaretas) a[vf]',
    'vetää|johtaa|johtavat|vetävät',
    '(?:condus|conduse|coordonat)ă? de',
    'руководит|руководят|ведёт|ведет|возглавляет|керує|очолює',
  ].join(
    '|',
  )})(?:\\s(?:seit|od|depuis|since|desde|dal|sinds|sedan|siden|vuodesta)(?:\\s[\\p{Ll}\\d.]+){1,2})?(?:\\s(?:the|our|le|la|notre|el|nuestr[oa]|il|o|a|der|die|vår|vores)(?:\\s[\\p{Ll}-]{3,}){0,3})?\\s+$`,
  'iu',
);

/** Right behind whoever leads or looks after something. */
export const LEADS = new RegExp(
  `^(?:,? (?:who|die|der|qui|que|chi|która|który) )?\\s*(?:${[
    'chairs|leads|heads|runs|manages|coordinates|oversees|supervises|looks after|takes care of|is in charge of|serves as|acts as',
    'leitet|betreut|verantwortet|koordiniert|kümmert sich um',
    "dirige|anime|gère|coordonne|encadre|préside|s['’]occupe d[eu]",
    'coordina|gestiona|preside|se (?:ocupa|encarga) de|coordena|gere',
    'gestisce|presiede|segue|si occupa d(?:i|el|ell\\p{L}*)',
    'leidt|coördineert|beheert|verzorgt',
    'leder|samordnar|koordinerer|koordinerar|vetää|johtaa',
    'kieruje|koordynuje|prowadzi|zajmuje się|opiekuje się|řídí|vede|koordinuje|vezeti|conduce|coordonează',
  ].join('|')})(?!\\p{L})`,
  'iu',
);

/** Of juries and other associations as well. */
export const PRESIDED = /chaired|présid|presid|presied|kierowan|vorsitz|voorgezeten/iu;
