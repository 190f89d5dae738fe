import { plainLetters } from './role-lexicon.ts';

/**
 * Words for offices that many sites name with their numbers without being them: emergency services, supervisory and
 * professional bodies, dispute boards, substitutes. One group of languages per line, without accents.
 */
const OFFICES = [
  'emergency services?|poison control|crisis line|helpline|lifeline|police|fire brigade|ombudsman|regulator|supervisory authority|licensing authority|data protection officer|trading standards|better business bureau|coast guard',
  'giftnotruf|giftinformation\\p{L}*|\\p{L}*notruf\\p{L}*|rettungsdienst|rettungsleitstelle|bereitschaftsdienst|notdienst|polizei\\p{L}*|seenot\\p{L}*|jugendamt\\p{L}*|veterinaramt\\p{L}*|amtstierarzt\\p{L}*|feuerwehr|(?:arzte|anwalts|apotheker|architekten|handels|handwerks|ingenieur|notar|steuerberater|wirtschafts|wirtschaftsprufer|\\p{L}+arzte|\\p{L}+anwalts|psychotherapeuten)kammer|aufsichtsbehorde|zulassungsbehorde|kassen(?:zahn)?arztliche vereinigung|schlichtungsstelle|verbraucher(?:zentrale|schlichtung\\p{L}*)|vertretung|datenschutzbeauftragte\\p{L}*|telefonseelsorge',
  'centre antipoison|samu|pompiers|gendarmerie|mediateur de la consommation|mediation de la consommation|chambre (?:de|des) \\p{L}+|autorite de (?:controle|tutelle)|delegue a la protection des donnees',
  'emergencias|policia|bomberos|guardia civil|salvamento|junta arbitral|delegado de proteccion de datos|toxicologia|camara de comercio|bombeiros|protecao civil|inem|litigios?|arbitragem|encarregado da protecao de dados',
  'emergenza|carabinieri|polizia|vigili del fuoco|guardia medica|centro antiveleni|capitaneria|pro loco|responsabile della protezione dei dati|camera di commercio',
  'alarmnummer|huisartsenpost|brandweer|politie|meldpunt|geschillencommissie|toezichthouder|waarnemer|waarneming|functionaris gegevensbescherming',
  'polis(?:en)?|politi(?:et)?|raddningstjanst\\p{L}*|giftinformation\\p{L}*|reklamationsnamnd\\p{L}*|konsumentverket|jourtelefon|vardguiden|legevakt\\p{L}*|vegtrafikksentral\\p{L}*|forbrukerradet|brannvesen\\p{L}*|laegevagt\\p{L}*|forbrugerklagenaevn\\p{L}*|landsarkivet|hatakeskus|myrkytystietokeskus|poliisi|kuluttajariitalautakunta',
  'pogotowie|policja|straz pozarna|straz miejska|wopr|rzecznik praw|inspektor ochrony danych|zachranna sluzba|hasici|policie|toxikologick\\p{L}*|obchodni inspekce|poverenec|mentok|rendorseg|tuzoltosag|bekelteto testulet|ambulanta|pompierii|politia|protectia consumatorilor|itfaiye|jandarma|zehir danisma|tuketici hakem heyeti',
  'conselho tutelar|consejo tutelar|servicios sociales|aide sociale a l.enfance|servizi sociali|barnevern\\p{L}*|kinderbescherming|lastensuojelu\\p{L}*|(?:meri|\\p{L}+)?pelastus(?:keskus|keskuksee|laito)\\p{L}*|sjoraddning\\p{L}*|\\p{L}*redningssentral\\p{L}*|kystvakt\\p{L}*|lekarz\\p{L}* weterynarii|osrod\\p{L}* pomocy spolecznej|veterinarni sprav\\p{L}*|ospod',
  'скорая помощь|полиция|пожарная|роспотребнадзор|мчс|поліція|швидка допомога|αστυνομια|πυροσβεστικη',
];
/** Public services and suppliers that sites tell their visitors to call, and examples; as above. */
const SERVICES = [
  'tourist (?:information|office|board)|visitor cent(?:er|re)|(?:city|town|county|parish) council|the council|town hall|taxis?|cabs?|pharmacy|health cent(?:er|re)|samaritans|citizens(?:’|\\x27)? advice|national grid',
  '(?:looked after|handled|provided|supplied|swept|serviced) by|(?:ordered|bought|obtained|purchased|hired) (?:from|through)|sponsored by|for example|e\\.g\\.',
  'tourismusburo|touristen?-?info\\p{L}*|touristinformation|verkehrsverein|verkehrsverbund|fahrplanauskunft|stadtverwaltung|bezirksregierung|taxi\\p{L}*|apotheke|krankenhaus|tierklinik|uniklinik|z\\. ?b\\.|beispiel|schiedsstelle|bezirksschornsteinfeger',
  'mairie|office (?:de|du) tourisme|prefecture|direction departementale|hopital|pharmacie de garde|par exemple|centro de salud|farmacia|el hospital|oficina de turismo|por ejemplo|autocar(?:es)?',
  'comune di|farmacia|ospedale|ufficio turistico|per esempio|camara municipal|junta de freguesia|posto de turismo|linha de apoio|por exemplo',
  'vertrouwenspersoon|vvv|bijvoorbeeld|turistbyra\\p{L}*|turistinformation|exempel|skots av|turistkontor\\p{L}*|for eksempel',
  'urzad|urzedu|informacja turystyczna|szpital|na przyklad|np\\.|infocentrum|informacni centrum|napriklad|taksi|eczane|hastane|polgarmesteri hivatal|gyogyszertar|primaria|taxiul',
  'lieferant|ersatzteile (?:kommen |liefert )?(?:von|vom)|fournisseur|proveedor|fornecedor|fornitore|(?:verdure|pane|vini) (?:arrivano|vengono|proviene) da|leverancier|leverandor|leverantor|dodavatel|dostawca|beszallito|furnizor|tedarikci',
  'statsautoriserede? revisor\\p{L}*|registrert revisor|auktoriserad revisor|commissaire aux comptes|regnskapet fores av|regnskapet forer|regnskapsforer|bokforingen skots|accounts (?:are )?prepared by',
  'title ix coordinator|anpc|infoconsumator|(?:tel\\p{L}* )?consumatorului|knjigovodstvo|racunovodstvo|laboratuvarimiz|information line|infoline|infolinka|poruchova linka|hjalplinje\\p{L}*|hjaelpelinje\\p{L}*|averias|capitainerie|(?:tickets|biljetter) via|haustierregister|(?:daten|data)skyddsombud',
  '(?:zahn|tier|kassen)?arztlicher? notfalldienst|poison cent(?:er|re)|information commissioner|data protection (?:commissioner|authority)|datenschutzbehorde|landesbeauftragte\\p{L}*|cnil|garante (?:per la|privacy)|agencia espanola de proteccion|comissao nacional de protecao|autoriteit persoonsgegevens|datatilsynet|integritetsskyddsmyndigheten|tietosuojavaltuut\\p{L}*|uodo|urad pro ochranu|urad na ochranu|naih|anspdcp|kvkk',
  'supervised by|regulated by|insured (?:with|by)|law society|bar (?:association|council)|solicitors regulation authority|aufsicht(?:fuhrend)?|versichert bei|ordre des \\p{L}+|barreau de|assure (?:par|aupres)|colegio (?:oficial|de) \\p{L}+|ilustre colegio|asegurad[oa] (?:en|con)|ordine (?:degli|dei|delle) \\p{L}+|ordem d[ao]s \\p{L}+|assicurat[oa] (?:con|presso)|orde van \\p{L}+|toezicht(?: door)?|verzekerd bij|tillsyn\\p{L}*|advokatsamfund\\p{L}*|forsakring genom|tilsyn|forsikret (?:i|hos)|advokatforening\\p{L}*|asianajajaliitto|valvontaviranomainen|izba \\p{L}+|nadzor|ubezpieczon\\p{L}+ w|komora \\p{L}+|dohled|pojisten\\p{L}* u|kamara\\p{L}*|felugyelet\\p{L}*|baroul|ordinul|barosu',
  'sponsor(?:en|er|ei|zy|i)? ?:|rspp|responsabile (?:del servizio )?(?:di )?prevenzione|medico competente|fachkraft fur arbeitssicherheit|betriebsarzt\\p{L}*|medecin du travail|eu representative|vertreter in der eu',
  'inspection academique|rectorat de|schulamt|schulrat|kuratorium oswiaty|skolni inspekce|skolinspektionen|inspeccion educativa|ufficio scolastico|provveditorato|ofsted',
  'manufacturers?|herstellers?|fabricantes?|fabricants?|produttore|fabrikant|tillverkaren?|valmistajan?|producenta|vyrobce|gyarto|producatorului|uretici|(?:source|quelle|fuente|fonte|bron|kilde|kalla|lahde|zdroj|zrodlo|forras|sursa|kaynak) ?:',
  'call (?:her|him|them)|(?:is|are) run by|na junta|billetsalg|billettluke|forverkauf|vorverkaufsstelle\\p{L}*|prevendita|predprodej|przedsprzedaz|lipunmyynti',
  '(?:insurance|versicherung\\p{L}*|assurance|seguros?|assicurazione|verzekering|forsikring|forsakring|pojisteni|ubezpieczenie\\p{L}*|biztositas|asigurare|sigorta)[^.]{0,24}(?:agent\\p{L}*|broker|makler|courtier|corredor|mediador|tussenpersoon|maegler)',
  '(?:contractor|auftragnehmer|bauunternehmen|bauleitung|entreprise de travaux|contratista|empreiteir[oa]|appaltatore|impresa esecutrice|direzione lavori|aannemer|hovedentreprenor|totalentreprenor|entreprenor|entreprenad|wykonawca|zhotovitel|kivitelezo|antreprenor|yuklenici|izvodac radova) ?:|urakoitsija',
  '(?:the|to) irs|internal revenue|hmrc|belastingtelefoon|skatteverket|skatteetaten|skattestyrelsen|verohallin\\p{L}*|urzad skarbowy|financni urad|agenzia delle entrate|agencia tributaria|autoridade tributaria|centre des impots|vergi dairesi|anaf',
  'trade union|gewerkschaft\\p{L}*|vakbond|facklig\\p{L}* kontakt\\p{L}*|fackforbund\\p{L}*|fagforening\\p{L}*|ammattiliitto|zwiazek zawodowy|labou?r inspectora\\p{L}+|health and safety executive|gewerbeaufsicht\\p{L}*|inspection du travail|inspeccion de trabajo|ispettorato del lavoro|(?:arbeids|nederlandse arbeids)inspectie|arbetsmiljoverket|arbeidstilsynet|arbejdstilsynet|panstwow\\p{L} inspekcj\\p{L} pracy|inspektorat prace|department of revenue|job ?cent(?:er|re)|arbeitsamt|arbeitsagentur|agentur fur arbeit|france travail|pole emploi|oficina de empleo|sepe|centro per l.impiego|centro de emprego|iefp|uwv|arbetsformedlingen|te-toimisto|tyovoimatoimisto|urzad pracy|urad prace|munkaugyi kozpont|ajofm|iskur',
  'garda station|finanz(?:amt|verwaltung)\\p{L}*|numero vert d[ue]s?|priesternotruf|telefonul consumator\\p{L}*|(?:bus|buss|buslinie|linie|linje|ligne|lijn|linea|autobus|tram) \\d{1,3}(?!\\d)[^(]{0,60}\\(\\p{L}+',
  'minist(?:ry|ere|erium|erio|ero|erul|erstv|erstw|eriet|erie)\\p{L}*|kant\\. \\p{L}+|kantonale[nrs]? \\p{L}+|autoridad de proteccion|autorite de protection|autorita (?:garante|di controllo)|reclamar ante|reclamacion\\p{L}* ante|plainte aupres|kuluttajaneuvo\\p{L}*|konsumentvagledning\\p{L}*|verbraucherberatung\\p{L}*|prufungsamt\\p{L}*',
  'schulpsycholog\\p{L}*|pedagogicko-psychologick\\p{L}*|poradni\\p{L}* psychologiczn\\p{L}*',
];
/** Lines for people in need, representatives, what is said not to be the site's, and examples: never its own. */
const NEVER_OWN = [
  'suicide prevention|prevention (?:of|du) suicide|prevencion del suicidio|prevenzione del suicidio|prevencao do suicidio|suizidpravention|zelfmoord\\p{L}*|selvmords\\p{L}*|sjalvmords\\p{L}*|itsemurh\\p{L}*|road conditions|conditions routieres|strassenzustand\\p{L}*|estado de (?:las )?carreteras|stato delle strade',
  'crisis (?:line|phone|text)|flood ?line|krisentelefon|sorgentelefon|nummer gegen kummer|numero d.ecoute|telefono de la esperanza|telefono amico|telefono azzurro|luisterlijn|kindertelefoon|kriisipuhelin|kriisinumero|lasten ja nuorten puhelin|telefon zaufania|linka bezpeci|linka duvery|lelkisegely\\p{L}*|mental helse|kirkens sos|livslinien|bornetelefonen',
  '(?:your|the|our) (?:local )?(?:mp|msp|td|senator) is|house of commons|ombudsm[ae]n',
  'nicht (?:wir|uns|unsere?)|hausmeister der stadt|not (?:us|ours|our number)|pas (?:nous|notre)|n.est pas membre|no (?:somos nosotros|es nuestro)|non (?:siamo noi|e nostro)|nao (?:somos nos|e nosso)|niet (?:wij|ons|van ons)|geen acquisitie|ikke (?:os|oss|vart|vores)|inte vart|ei ole meidan|nie nasz\\p{L}*|nejsme my|nem mi vagyunk|nu suntem noi|biz degiliz',
  'e\\. ?g\\.|z\\. ?b\\.|napr\\.|np\\.|p\\. ?ej\\.|p\\. ?ex\\.|par ex\\.|ad es\\.|bijv\\.|f\\. ?eks\\.|t\\. ?ex\\.|esim\\.|de ex\\.|orn\\.|напр\\.',
];
/** Letters by which an office is found in the name of a site, in whatever form. */
const LONGEST_STEM = 6;
const OTHERS = new RegExp(`(?<!\\p{L})(?:${NEVER_OWN.join('|')})(?!\\p{L})`, 'u');
const OFFICE = anyOf(OFFICES, '警察|消防');
const SERVICE = anyOf(SERVICES, '(?:制作|製作)(?!所)|提携|タクシー|観光協会|市役所|例[：:]');

function anyOf(words: readonly string[], unspaced: string): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})|${unspaced}`, 'gu');
}

/**
 * Whether a text names an office or firm that is usually not the one whose site it is.
 * @param siteName on the site of such an office, only numbers of another office are not its own
 */
export function namesOtherOffice(text: string, siteName: string): boolean {
  const [plain, own] = [plainLetters(text), plainLetters(siteName)];
  const isOther = ([word]: RegExpMatchArray): boolean => !own.includes(word.slice(0, LONGEST_STEM));
  if ([...plain.matchAll(OFFICE)].some(isOther)) return true;
  return plain.search(SERVICE) !== -1 && own.search(OFFICE) === -1 && own.search(SERVICE) === -1;
}

/** Whether a text says that what it tells of is not the site's, whatever the site is. */
export function tellsOfNobodyHere(text: string): boolean {
  return OTHERS.test(plainLetters(text));
}
