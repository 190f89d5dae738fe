/**
 * Offices of associations, councils, schools, parishes, choirs and clubs, and their plurals, by language, in addition
 * to the words of `role-lexicon.ts`.
 */
export const OFFICES = [
  // English
  'vicechair vice-chair vice-chairman vice-chairwoman chairs treasurers secretaries auditors nominee nominees rep delegates deputies',
  'alderman alderwoman councilman councilwoman mayoress sheriff magistrate judge registrar beadle convener convenor steward stewards',
  'headteachers teachers tutors sna snas senco groundskeeper usher matron boarder counsellor counselor lecturers',
  'priest curate deacon deaconess minister preacher churchwarden churchwardens bell-ringer cantor choirmaster conductor accompanist pianist',
  'coach coaches referee umpire goalkeeper skipper coxswain commodore rear-commodore quartermaster bosun lifeguard',
  'beekeeper shepherd farmer grower cheesemaker forester gamekeeper fisherman forewoman roaster bookbinder printer',
  'estimator draughtswoman machinist fitter plasterer glazier tiler stonemason blacksmith saddler tailor dressmaker',
  'editor-in-chief sub-editor correspondent publisher conservator docent volunteer volunteers',
  'dispatcher forwarder stevedore storekeeper purchaser controller underwriter actuary loss-adjuster valuer caseworker',
  'paediatrician cardiologist dermatologist radiologist anaesthetist podiatrist audiologist radiographer homeopath doula',
  // German
  'vorsitz stellv vizeprasident vizeprasidentin prasident prasidentin ehrenprasident kassenwarte rechnungsprufer rechnungspruferin',
  'beirat beirate beiratin delegierter delegierte wart wartin platzwart gerätewart zeugwart pressewart sportwart schießwart schiesswart',
  'jugendleiter jugendleiterin ubungsleiter ubungsleiterin trainer schiedsrichter abteilungsleitung spielleiter spielfuhrer dirigent dirigentin',
  'chorleiter chorleiterin kapellmeister kapellmeisterin organistin korrepetitor korrepetitorin pianistin regisseur regisseurin dramaturg dramaturgin',
  'landrat landratin dezernent dezernentin amtsleiter amtsleiterin stadtkammerer kammerer kammerin gemeindeschreiber gemeindeschreiberin amtmann',
  'stadtratin ratsmitglied abgeordneter abgeordnete bezirksvorsteher wehrfuhrer wehrfuhrerin kommandant kommandantin loschmeister zugfuhrer',
  'prorektor prorektorin studiendekan studiendekanin dekan dekanin schulsekretarin hausverwalter vertrauenslehrer vertrauenslehrerin elternbeirat',
  'schulsozialarbeiter schulsozialarbeiterin sozialpadagoge sozialpadagogin heilpadagogin kindergartnerin diakon diakonin pastorin vikar vikarin mesner kuster',
  'bibliothekar bibliothekarin archivar archivarin kustos kustodin restauratorin imker imkerin forster forsterin schafer schaferin landwirt landwirtin',
  'konditormeister buchbinder buchbinderin drucker druckerin setzer sattler schneider schneiderin kurschner orgelbauer orgelbauerin instrumentenbauer',
  'arbeitsvorbereitung kundenbetreuer kundenbetreuerin verwaltungsangestellte rechtspflegerin fachangestellte fachwirt fachwirtin',
  'kinderarzt kinderarztin augenarzt hautarzt internist internistin chirurg chirurgin gynakologe gynakologin radiologe heilpraktiker heilpraktikerin podologin',
  // French
  'president vice-presidents secretaires tresoriers administrateurs administratrices deleguees delegues membre referent referente suppleant suppleante suppleants',
  'maires adjoints adjointes elu elue elus syndic prefet sous-prefet depute deputee senateur senatrice greffier greffiere garde-champetre cantonnier',
  'atsem aesh avs maitresse instituteurs professeurs principal principale proviseur proviseure cpe surveillant surveillante cantiniere cuisiniers',
  'cure abbe diacre sacristain sacristaine organiste choriste pianiste accompagnateur accompagnatrice entraineur entraineuse arbitre moniteur monitrice',
  'apiculteur apicultrice eleveur eleveuse maraicher maraichere berger bergere fromager fromagere viticulteur viticultrice caviste oenologues',
  'imprimeur imprimeuse facteur luthier luthiere doreur doreuse carreleur couvreur charpentiere serrurier forgeron tailleur conservateur conservatrice',
  'mediateur mediatrice benevole benevoles coordinateur coordinatrice coordonnateur coordonnatrice intervenant intervenante',
  'pediatre cardiologue dermatologue gynecologue radiologue podologue orthophoniste dieteticienne sage-femmes diététicienne',
  'redacteurs correspondant correspondante attache attachee preparateur preparatrice ouvrier ouvriere contremaitre negociant negociante courtier courtiere',
  'initiateur initiatrice initiateurs encadrant encadrante encadrants encadrement animateur animatrice animateurs benevole benevoles referent referente',
  // Spanish
  'presidentes vicepresidentes secretarios vicesecretario vicesecretaria interventores regidor regidora edil ediles diputado diputada',
  'senador senadora jueza juez alguacil aguacil maestros profesores profesoras tutores directores director-gerente coordinadores orientadores catedratico catedratica',
  'educadora educadoras monitor monitora monitores entrenador entrenadora arbitro capitan capitana guia guias parroco sacristan sacristana organista pianista',
  'apicultor apicultora ganadero ganadera agricultor agricultora pastora quesero quesera almazarero molinero encuadernador encuadernadora impresor impresora',
  'representante apoderado apoderada responsables voluntario voluntaria portavoz suplente suplentes consejeros patrono patronos patrona interino',
  'podologo podologa logopeda matrona celador celadora optico optica anestesista cardiologo cardiologa radiologo radiologa repartidor repartidora',
  // Italian
  'vicepresidente vicepresidenti segretari tesoriera tesorieri consiglieri-delegati revisori sindaci assessori capogruppo delegata delegato delegati',
  'preside vicepreside maestro maestra maestre educatrice educatore bidello bidella collaboratrici parroco diacono sagrestano organista pianista direttrici',
  'allenatore allenatrice arbitro capitano guida accompagnatore accompagnatrice volontario volontaria referenti portavoce supplente supplenti',
  'pasticciere pasticciera apicoltore apicoltrice allevatore allevatrice agricoltore agricoltrice casaro mugnaio mugnaia frantoiano viticoltore viticoltrice pizzaiolo pizzaiola',
  'marmista scalpellino ebanista liutaio liutaia rilegatore rilegatrice capocantiere capofficina caporeparto disegnatore disegnatrice contabili',
  'pediatra cardiologo cardiologa dermatologo dermatologa ginecologo ginecologa logopedista ostetrica podologo podologa ottico',
  // Portuguese
  'presidentes vice-presidentes secretarios secretario tesoureiros vogais vereadores deputado deputada provedor provedora relator relatora suplente suplentes',
  'professores professoras educadoras formador formadora formadores coordenacao coordenadores diretores encadernador encadernadora impressor impressora',
  'paroco padre diacono sacristao organista maestrina regente pianista treinador treinadora arbitro monitor monitora guia guias voluntario voluntaria',
  'apicultor apicultora agricultor agricultora pastor pastora queijeiro queijeira moleiro pescador pescadora responsaveis delegado delegada porta-voz',
  'pediatra cardiologista dermatologista ginecologista terapeuta podologista oculista enfermeiros auxiliares mecanico mecanica torneiro soldador rececao',
  'membros assistentes tecnicos tecnicas administrativo administrativa administrativos administrativas coveiro coveiros motorista motoristas dirigentes animador animadora',
  // Dutch
  'penningmeesters voorzitters vicevoorzitter vice-voorzitter ondervoorzitter bestuurders ambtelijk griffier raadslid raadsleden schepen schepenen',
  'commissielid commissaris coördinator coordinator coordinatrice teamcoordinator hoofdredacteur webbeheerder ledenadministratie',
  'directrice adjunct adjunct-directeur juf meester conciërge concierge intern-begeleider pastoor dominee predikant diaken koster organist',
  'dirigent dirigente repetitor pianist begeleider begeleidster trainer trainster scheidsrichter aanvoerder wedstrijdleider materiaalman vrijwilliger vrijwilligster',
  'imker boer boerin herder kaasmaker molenaar rietdekker boekbinder drukker zetter kleermaker smid lasser metselaar stukadoors dakdekkers boswachter',
  'kinderarts oogarts huidarts logopedist logopediste dietist dietiste verloskundige podotherapeut pedicure oefentherapeut praktijkondersteuner verpleegkundigen',
  // Polish
  'prezesi wiceprezesi wiceprzewodniczacy wiceprzewodniczaca sekretarze skarbnicy podskarbi starszy podstarszy czlonkowie rewizor rewident pelnomocnik pelnomocniczka',
  'wicedyrektor wicedyrektorka wiceburmistrz zastepca zastepczyni soltys soltyska wojewoda starosta starostka prezydent radni referent referentka inspektor inspektorka',
  'nauczyciele pedagodzy logopeda wozny wozna intendent intendentka kucharka proboszcz wikary diakon koscielny organista dyrygent dyrygentka pianistka trener trenerka',
  'sedzia kapitan bosman przewodnik przewodniczka instruktor instruktorka opiekun opiekunka wolontariusz wolontariuszka rzecznik rzeczniczka szkutnik szkutniczka',
  'pszczelarz rolnik rolniczka introligator introligatorka drukarz krawiec krawcowa kowal slusarz spawacz tokarz mechanik lakiernik blacharz dekarz murarz',
  'pediatra kardiolog dermatolog ginekolog okulista optyk polozna masazysta masazystka asystenci rejestratorka notarialny',
  'wychowawca wychowawczyni wychowawcy instruktor instruktorka instruktorzy opiekun opiekunka opiekunowie logopeda pedagog bibliotekarz bibliotekarka woznica palacz wozna wozny',
  // Czech and Slovak
  'mistopredsedove predsedova predsedkyna predsednicka podpredseda podpredsednicka tajomnik tajomnicka revizor revizorka jednatele zastupce zastupca zastupkyna',
  'primator primatorka mistostarostove poslanec poslankyne poslankyna radni senator senatorka velitel velitelka podvelitel nacelnik nacelnice preparator strojnik',
  'zastupci zastupitele zapisovatel zapisovatelka ekonom ekonomka koordinatorka referent vedouciho asistenti ucitelé ucitelia ucitelova',
  'skolnici kuchari kucharky farar kaplan kostelnik varhanik varhanice sbormistr sbormistryne dirigent dirigentka klavirista korepetitor korepetitorka',
  'trener trenerka rozhodci kapitan vudce instruktor instruktorka pruvodce pruvodkyne dobrovolnik dobrovolnice mluvci hovorca hovorkyna pokladnicka',
  'vcelar vcelarka farmar farmarka pastyr knihar knihvazac tiskar sazec krejci svadlena kovar zamecnice svarec soustruznik mechanik pokryvac zednik',
  'pediatr pediatricka kardiolog dermatolog gynekolog gynekolozka optik optometrista masér maserka logoped logopedka stomatolog dentalni hygienistka',
  // Hungarian
  'elnoke alelnoke titkara elnokhelyettes igazgatohelyettes ugyvezetoje penztarosa konyvvizsgalo bizottsagi tag tagok kuldott polgarmesterhelyettes alpolgarmester',
  'kepviselo aljegyzo tanarok tanitok osztalyfonok ovono ovonok gondnok plebanos lelkesz kantor kantora karnagy karmester zongorista edzo jatekvezeto csapatkapitany',
  'idegenvezeto onkentes szovivo meheszmester mehesz gazda pasztor konyvkoto nyomdasz szabo kovacs lakatos hegeszto szerelok gyermekorvos szemesz szuleszno',
  'munkatarsak munkatarsa vezetoje felelos felelose ugyintezo boltvezeto raktaros raktarvezeto',
  // Swedish
  'ordf vice-ordforande ordforanden kassoren sekreteraren ledamoten suppleanter revisorssuppleant valberedningen sammankallande ombud kanslist kanslichef ersattare ledamoter',
  'kommunalrad kommunchef kommundirektor forvaltningschef enhetschef bibliotekschef handlaggare handlaggaren registrator naringslivschef socialchef skolchef overformyndare',
  'rektorer larare forskollarare fritidsledare skolskoterska kurator vaktmastaren kock maltidschef kyrkoherde komminister diakon kantor organist korledare dirigent',
  'pianist tranare lagledare domare kapten guide volontar presstalesperson biodlare lantbrukare bonde herde bokbindare tryckare skraddare smed svetsare larling lärling',
  'barnlakare ogonlakare hudlakare barnmorska undersköterska underskoterska receptionisten tandhygienist tandskoterska optiker apotekschef lagerarbetare lagerarbetaren',
  // Norwegian and Danish
  'ordforer varaordforer varaordfører fylkesordforer radmann kommunedirektor kommunalsjef enhetsleder saksbehandler saksbehandleren representant vararepresentant',
  'lederen kassereren sekretaeren styreleder nestlederen varamedlem varamedlemmer revisorer bibliotekar biblioteksjef skolesjef helsesjef helsesykepleier',
  'borgmester viceborgmester byradsmedlem kommunaldirektor sagsbehandler afdelingsleder afdelingschef kontorchef naestformand formanden formaend kassererens suppleant suppleanter',
  'bestyrelsesmedlem bestyrelsesmedlemmer skoleleder viceskoleleder rektorer paedagog paedagoger padagog vuggestueleder pedel pedellen kok kokken sognepraest sogneprest',
  'prest praest kapellan kirketjener kirketjeneren kirkeverge kordegn organist organisten kantor dirigenten korleder pianist akkompagnatør traener trener dommer kaptein kaptajn',
  'frivillig frivillige talsmand talsperson talskvinne birokter birokteren biavler landmand bonde fiskar fisker hyrde bogbinder bokbinder trykker skredder skraedder smed svejser sveiser laerling lærling',
  'bornelaege oyenlege ojenlaege hudlege jordmor jordemoder tannpleier tandplejer klinikassistent optiker apoteker hr-chef partneransvarlig ansvarlig ansvarshavende',
  // Finnish
  'varapuheenjohtaja varapuheenjohtajat puheenjohtajat jasen jasenet varajasen varajasenet rahastonhoitajat tilintarkastajat toiminnantarkastaja kunnanjohtaja kaupunginjohtaja',
  'sivistysjohtaja hallintojohtaja rakennustarkastaja kirjastonhoitaja kirjastonjohtaja palveluneuvoja toimistosihteeri rehtori apulaisrehtori opettajat luokanopettaja erityisopettaja koulusihteeri',
  'kouluterveydenhoitaja terveydenhoitaja kuraattori koulunkayntiavustaja vahtimestari emanta isanta kirkkoherra kappalainen diakoni suntio kanttori kuoronjohtaja pianisti valmentaja tuomari kapteeni opas',
  'vapaaehtoinen tiedottaja mehilaishoitaja maanviljelija lammastilallinen kirjansitoja painaja raatali seppa hitsaaja asentaja varastonhoitaja lastenlaakari silmalaakari katilo suuhygienisti optikko',
  // Romanian
  'presedinti vicepresedinti secretari trezorieri cenzor cenzori membru membri primar primarita viceprimar consilier consiliera consilieri prefect deputat senator referent referenta',
  'profesori profesoara invatator invatatoare educatoare diriginte bibliotecar bibliotecara preot paroh diacon paracliser organist dirijor pianist antrenor antrenoare arbitru capitan',
  'ghid voluntar voluntara purtator apicultor fermier cioban legator tipograf croitor croitoreasa fierar sudor mecanic sofer magazioner vanzatoare gestionar contabili operator',
  'pediatru cardiolog dermatolog ginecolog oftalmolog moasa receptionera asistent optician urbanist',
  // Turkish
  'baskanlari yardimci uye uyeler saymani belediye muhtar kaymakam vali mudire mudiresi sef sefi sorumlular temsilci',
  'ogretmeni ogretmenler okutman rehber rehberi hoca imam muezzin sef antrenor antrenoru hakem kaptan gonullu sozcu arici ciftci coban ciltci matbaaci terzi demirci kaynakci',
  'teknikeri ustabasi formen hemsiresi ebe hekimi diyetisyen optisyen eczacisi avukati katip katibi',
  // Greek
  'προεδρου αντιπροεδρος ταμιας ταμιες μελος μελη δημαρχος αντιδημαρχος συμβουλοι κοινοταρχης διευθυντες υποδιευθυντης υποδιευθυντρια δασκαλος δασκαλα νηπιαγωγος',
  'καθηγητρια ιερεας διακονος ψαλτης μαεστρος πιανιστας προπονητης διαιτητης αρχηγος ξεναγος εθελοντης εκπροσωπος μελισσοκομος αγροτης βοσκος βιβλιοδετης τυπογραφος ραφτης σιδηρουργος',
  'πωλησεων πωλητης πωλητρια μαγειρισσα αρτοποιος ζαχαροπλαστης ιδιοκτητης ιδιοκτητρια διαχειριστης διαχειριστρια χημικος φαρμακοποιος νοσηλευτης νοσηλευτρια μαια παιδιατρος καρδιολογος οπτικος',
  // Croatian, Serbian and Slovene
  'predsjednik predsjednica dopredsjednik dopredsjednica potpredsjednik potpredsjednica predsednik predsednica podpredsednik podpredsednica clan clanica clanovi clanice',
  'tajnik tajnica blagajnik blagajnica ravnatelj ravnateljica direktor direktorica direktorka voditelj voditeljica vodja upravitelj upravnik upravnica urednik urednica koordinator koordinatorica',
  'nacelnik nacelnica gradonacelnik zupan zupanja zupnik kapelnik ucitelj uciteljica profesorica odvjetnik odvjetnica odvetnik odvetnica biljeznik lijecnik lijecnica zdravnik zdravnica skiper skladistar kuhar kuharica',
  // Further plurals, and posts that are often given to two
  'groundsmen handyman handymen caretakers gardeners assistants receptionists coordinators directors managers owners founders nurses hygienists clerks cooks chefs',
  'assistentinnen assistenten geschaftsfuhrerinnen inhaberinnen leiterinnen lehrerinnen trainerinnen ubungsleiterinnen betreuerinnen arzte arztinnen zahnarzte zahnarztinnen',
  'vorsitzenden beisitzerinnen azubis praktikanten gartnerinnen sachbearbeiterinnen assistantes directeurs directrices gerants infirmieres medecins educatrices apprentis stagiaires sommeliers proprietaires jardiniers',
  'asistentes secretarias directoras gerentes medicas coordinadoras monitoras jardineros titolari assistenti segretarie direttori coordinatori educatrici enfermeiras',
  'medewerkers medewerksters directeuren eigenaren eigenaars oprichters artsen tandartsen docenten begeleiders stagiairs',
  'asystentki lekarze lekarki nauczycielki wychowawczynie instruktorki opiekunki specjalistki kierownicy dyrektorzy wlasciciele higienistki rejestratorki pielegniarki praktykantka konserwator',
  'assistenter sjukskoterskor larlingar sykepleiere laerere pedagoger hoitajat rehtorit ohjaajat sihteerit avustajat talonmies keittaja siivooja',
  'asistentky lekari lekarky ucitelky majitele instruktorky treneri obsluha personalistka personalista hygienistky serizovac nastrojar',
  'asszisztensek orvosok tulajdonosok ugyvezetok vezetok edzok takarito avocati directori administratori antrenori ingrijitor asistanlar doktorlar mudurler',
  'βοηθοι γιατροι καθηγητες υπευθυνοι ιδιοκτητες ассистенты врачи учителя менеджеры директора руководители',
].join(' ');

/** Offices that are also common surnames. */
export const OFFICE_SURNAMES =
  'zupan kuhar vodja kapelnik koster pastor rehber judge priest deacon minister shepherd farmer fisherman tailor sheriff alderman cantor usher marshal skipper tiler glazier fitter schneider schafer forster imker drucker sattler kuster boer smid smed kowal krawiec kovar krejci szabo kovacs lakatos kantor vogt wart abbe berger cure maitresse forgeron luthier tailleur pastor padre pastora guerra capitan herrero patron boerin molenaar meester bonde herde kapten dommer prest fisker seppa imam kaptan terzi coban sef vali hoca preot cioban olar capitan croitor fierar delegado bader kammerer spieler guide monitor referent rector senator president prezydent dekan kustos sedzia starosta wojewoda mayr meier principal abbot bosman kapitan vikar diakon tag gazda arici ciftci muhtar';
