/** Verbs of leading and caring, at the end of the text before a name; the passive in languages that put it there. */
export const LED = new RegExp(
  `(?<!\\p{L})(?:${[
    '(?:led|run|headed|managed|chaired|looked after|overseen|coordinated|supervised) by',
    '(?:leitet|leiten|betreut|betreuen|führt|führen|verantwortet|verantworten)',
    '(?:dirig|anim|encadr|gér|ten|assur|coordonn|présid)(?:ée?|ue?)s? par',
    "(?:s['’]occupent?)",
    '(?:dirigid|coordinad|llevad|gestionad|atendid|coordenad|liderad|gerid|orientad|presidid)[oa]s? por',
    '(?:(?:est[áa]n?|fica|ficam) a cargo de)',
    '(?:(?:te|le|os|les|lhe|vous|nous|Sie|dich|Ihnen|u|je|vi|la|dig|deg|vă|vás) )(?:atienden?|reciben?|atendem?|accueill(?:e|ent)|begrüß(?:t|en)|empf(?:ängt|angen)|helpt|helpen|ontvang(?:t|en)|accoglie|accolgono|hjälper|hjelper|întâmpină|přivítá)',
    '(?:se (?:ocupan?|encargan?)|dirige|dirigen|coordina|coordinan)',
    '(?:dirett|guidat|curat|coordinat|gestit|tenut|rett|presiedut)[oaie] da',
    '(?:se ne occupano?|si occupano?)',
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
  )})(?:\\s(?:seit|od|depuis|since|desde|dal|sinds|sedan|siden|vuodesta)(?:\\s[\\p{Ll}\\d.]+){1,2})?(?:\\s(?:the|our|le|la|notre|el|nuestr[oa]|il|o|a|der|die|vår|vores)(?:\\s[\\p{Ll}-]{3,}){1,3})?\\s+$`,
  'iu',
);

/** Of juries and other associations as well. */
export const PRESIDED = /chaired|présid|presid|presied|kierowan|vorsitz|voorgezeten/iu;
