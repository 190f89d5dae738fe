import { normalizeText } from '#src/platform/normalize-text.ts';
import { OFFICE_SURNAMES, OFFICES } from './office-words.ts';
import { PROFESSIONS, SURNAMES } from './profession-words.ts';

/** Words that occur only in names of positions, by language; accents and case do not count. */
const WORDS = [
  // English
  'ceo cto cfo coo cmo cio cpo cro ciso cdo chro vp svp evp avp md president vice-president chairman chairwoman',
  'chairperson chair chief founder co-founder cofounder founding owner co-owner proprietor partner principal',
  'director manager head lead leader supervisor coordinator officer executive administrator assistant',
  'associate analyst advisor adviser consultant engineer developer programmer architect designer researcher',
  'scientist specialist strategist technician representative accountant controller treasurer secretary',
  'attorney lawyer solicitor paralegal counsel notary physician doctor dentist nurse therapist veterinarian',
  'professor lecturer teacher instructor trainer coach editor journalist copywriter photographer producer',
  'buyer recruiter receptionist planner broker agent realtor superintendent foreman operator mechanic',
  'electrician plumber carpenter chef sommelier bookkeeper auditor intern interns trainee trainees apprentice apprentices fellow',
  'spokesperson ombudsman dean rector provost trustee curator librarian pastor archivist evangelist captain',
  'marketer salesperson hygienist optometrist pharmacist psychologist midwife surveyor postdoc winemaker',
  'consul custodian greenkeeper informador informadora informadores informadoras hospitalero hospitalera konsul konsulin',
  'firefighter sexton verger organist caretaker gardener sculptor potter weaver brewer baker miller tutor headteacher headmaster headmistress',
  // German
  'obermeister obermeisterin geschaftsfuhrer geschaftsfuhrerin geschaftsfuhrung geschaftsleitung geschaftsleiter inhaber inhaberin',
  'grunder grunderin mitgrunder mitgrunderin vorstand vorstandin vorstandsmitglied vorstandsvorsitzender',
  'vorstandsvorsitzende vorsitzender vorsitzende aufsichtsrat prokurist prokuristin leiter leiterin leitung',
  'abteilungsleiter teamleiter teamleiterin vertrieb einkauf buchhaltung personalwesen sachbearbeiter',
  'sachbearbeiterin assistentin assistenz sekretariat entwickler entwicklerin ingenieur ingenieurin berater',
  'beraterin referent referentin ansprechpartner ansprechpartnerin rechtsanwalt rechtsanwaltin steuerberater',
  'steuerberaterin notarin arzt arztin zahnarzt zahnarztin facharzt facharztin meister meisterin techniker',
  'technikerin kaufmann kauffrau gesellschafter gesellschafterin beauftragter beauftragte auszubildende',
  'auszubildender projektleitung verwaltung disponent disponentin geselle gesellin redakteur redakteurin',
  'praxismanagerin praxismanager mfa zfa pflegefachfrau pflegefachmann arzthelferin kassenwart kassenwartin schriftfuhrer schriftfuhrerin beisitzer beisitzerin',
  'empfang marketingleitung bauleiter bauleiterin hausmeister koch kochin konditor konditorin kundenberater kundenberaterin kundenbetreuung buchhalter buchhalterin direktorin',
  // French
  'pdg dg dirigeant dirigeante directeur directrice gerant gerante fondateur fondatrice cofondateur',
  'cofondatrice co-fondateur co-fondatrice associee presidente responsable chargee chef cheffe conseiller',
  'conseillere ingenieur ingenieure developpeur developpeuse comptable avocat avocate notaire adjoint',
  'adjointe secretaire assistante redacteur redactrice charge commercial commerciale architecte',
  'formateur formatrice delegue deleguee proprietaire gestionnaire medecin infirmiere',
  'exploitant exploitante vigneron vigneronne cuisinier cuisiniere tresorier tresoriere boulanger boulangere serveur serveuse artisan clerc',
  // Spanish
  'alcalde alcaldesa concejal concejala teniente interventora interventor director directora gerente presidente presidenta fundador fundadora cofundador cofundadora socio socia',
  'jefe jefa encargado encargada ingeniero ingeniera desarrollador desarrolladora abogado abogada contador',
  'contadora asesor asesora consejero consejera delegado delegada propietario propietaria consultor',
  'consultora administrador administradora comercial arquitecto arquitecta secretario secretaria tecnico',
  'tecnica coordinador coordinadora disenador disenadora profesor profesora medica ejecutivo ejecutiva',
  'tutor tutora orientador orientadora tesorero tesorera vocal cocinero cocinera camarero camarera bodeguero maestro maestra conserje',
  // Italian
  'amministratore amministratrice direttore direttrice fondatore fondatrice cofondatore cofondatrice titolare',
  'socia responsabile ingegnere sviluppatore sviluppatrice avvocato avvocata avvocatessa commercialista',
  'consulente segretaria segretario architetto presidentessa impiegata impiegato addetto addetta venditore',
  'progettista coordinatore coordinatrice dottoressa dirigente capo referente',
  // Portuguese
  'diretor diretora gerente cofundador socio-gerente engenheiro engenheira desenvolvedor desenvolvedora',
  'advogado advogada contabilista assessora coordenador coordenadora administradora proprietario chefe',
  'projetista marceneiro marceneira designer estagiario estagiaria tecnica tecnico gestor gestora vendedor vendedora secretaria fundadora arquiteta arquiteto consultora',
  'cozinheiro cozinheira empregado empregada tesoureiro tesoureira vogal fiscal presidente administrador encarregado encarregada',
  // Dutch
  'directeur eigenaar eigenaresse oprichter oprichtster mede-oprichter medeoprichter bestuurder voorzitter',
  'hoofd leidinggevende medewerker medewerkster adviseur ontwikkelaar ontwerper boekhouder advocaat vennoot',
  'bedrijfsleider teamleider verkoopleider penningmeester accountmanager projectleider beheerder verkoper',
  // Polish
  'prezes wiceprezes dyrektor dyrektorka kierownik kierowniczka wlasciciel wlascicielka zalozyciel zalozycielka',
  'wspolzalozyciel wspolzalozycielka inzynier programista programistka ksiegowa ksiegowy specjalista',
  'specjalistka prawnik radca adwokat doradca asystentka asystent koordynator przewodniczacy handlowiec',
  'prezeska wiceprezeska skarbnik skarbniczka sekretarz czlonek czlonkini kierowca magazynier dyspozytor dyspozytorka spedytor spedytorka',
  // Swedish, Norwegian, Danish
  'vd agare grundare medgrundare ordforande chef forsaljningschef ekonomichef marknadschef saljare radgivare',
  'utvecklare ingenjor jurist ekonom samordnare styrelseledamot projektledare verkstallande platschef',
  'direktor direktor grundlegger grunder daglig leder styreleder salgssjef radgiver utvikler ingenior',
  'direktoer stifter medstifter salgschef bogholder ejer indehaver formand konsulent udvikler saelger',
  'administrerende selger okonomisjef markedssjef prosjektleder eier medeier',
  'kassor sekreterare ledamot revisor revisorer verkmastare uthyrare vaktmastare butikschef snickare kasserer sekretaer nestleder styremedlem',
  // Finnish
  'toimitusjohtaja johtaja perustaja perustajaosakas myyntijohtaja talousjohtaja paallikko myyntipaallikko',
  'asiantuntija kehittaja insinoori omistaja assistentti myyntiedustaja puheenjohtaja suunnittelija osakas',
  'projektipaallikko markkinointipaallikko kirjanpitaja hallituksen toimistopaallikko',
  // Czech and Slovak
  'tajemnik tajemnice pokladnik pokladni cechmistr mistocechmistr hospodar reditel reditelka jednatel jednatelka majitel majitelka zakladatel zakladatelka vedouci manazer manazerka',
  'ucetni vyvojar specialista asistentka predseda konatel konatelka riaditel riaditelka veduci obchodnik',
  'obchodni technik programator projektant pravnik',
  // Hungarian
  'ugyvezeto igazgato vezerigazgato alapito tulajdonos vezeto menedzser mernok fejleszto konyvelo ugyved',
  'asszisztens munkatars ertekesito elnok szakerto projektvezeto tanacsado',
  // Romanian
  'administrator fondatoare fondator directoare inginer contabila contabil avocata sef asociat',
  // Turkish
  'mudur muduru kurucu ortak baskan baskani genel muhendis muhendisi uzman uzmani danisman yonetici yoneticisi',
  'sorumlusu sorumlu avukat muhasebeci gelistirici direktoru koordinatoru sefi mudur yardimcisi asistan teknisyen tasarimci mimar ogretmen asistani sahibi temsilcisi',
  // Greek
  'διευθυντης διευθυντρια ιδρυτης ιδρυτρια συνιδρυτης προεδρος υπευθυνος υπευθυνη προισταμενος προισταμενη μηχανικος συμβουλος διευθυνων',
  // Russian, Ukrainian, Bulgarian
  'директор основатель основательница сооснователь соосновательница руководитель начальник менеджер президент',
  'вице-президент заместитель инженер разработчик бухгалтер юрист адвокат специалист консультант секретарь',
  'председатель партнер управляющий владелец дизайнер аналитик администратор ассистент заведующий главный',
  'технолог продавец помощник архитектор врач учитель',
  'засновник засновниця керівник керівниця співзасновник начальниця юристка бухгалтерка інженер розробник',
  'розробниця власник власниця головний директорка менеджерка маркетолог керуючий управител основател',
].join(' ');

/** Endings of compound words in German, Dutch and the Nordic languages. */
const ENDINGS = [
  'leiter leiterin leitung fuhrer fuhrerin entwickler entwicklerin ingenieur ingenieurin berater beraterin',
  'manager managerin assistentin assistenz beauftragter beauftragte vorstand anwalt anwaltin meister meisterin',
  'techniker technikerin referent referentin betreuer betreuerin sekretarin direktor direktorin partnerin',
  'koordinator koordinatorin arzt arztin kaufmann kauffrau redakteur redakteurin planer planerin chef chefin',
  'leider medewerker medewerkster adviseur ontwikkelaar beheerder directeur chef ledare ansvarig ansvarlig',
  'inhaber inhaberin grunder grunderin lehrer lehrerin wart wartin prasident prasidentin vorsitzender vorsitzende trainer trainerin pfleger pflegerin',
  'larare skotare ordforande forman formand sekreterare assistent konsulent sjukskoterska laege laerer mester mastare voorzitter secretaris trainster leraar verzorger',
  'opettaja hoitaja neuvoja sihteeri asentaja tarkastaja insinoori mestari ohjaaja avustaja vezeto vezetoje tanar orvos felelos',
  'inspektor handlaggare handlegger ingenjor radgivare saljare utvecklare sjef leder radgiver utvikler konsulent paallikko johtaja',
].join(' ');

/** From scripts without spaces between words: matched anywhere in a line. */
const PIECES = [
  // Japanese
  '行政書士 司法書士 社会保険労務士 公認会計士 補助者 事務員 事務局長 理事長 工場長 校長 教頭 教諭 衛生士 看護師',
  '代表取締役 取締役 社長 会長 部長 課長 係長 主任 所長 店長 専務 常務 執行役員 監査役 顧問 創業者 設立者 代表 エンジニア',
  'マネージャー マネジャー ディレクター デザイナー コンサルタント 弁護士 税理士 院長 担当 リーダー 本部長 室長 支店長 営業 責任者',
  // Chinese
  '总经理 經理 经理 董事长 董事 总裁 總裁 總經理 董事長 创始人 創始人 联合创始人 首席 主管 总监 總監 工程师 工程師 设计师 設計師',
  '律师 律師 会计 會計 顾问 顧問 主任 助理 负责人 負責人 教授 医生 研究员',
  // Korean
  '대표이사 대표 사장 회장 부사장 이사 전무 상무 본부장 부장 차장 과장 대리 팀장 실장 센터장 창업자 설립자 엔지니어 개발자 디자이너',
  '매니저 변호사 회계사 연구원 소장 원장 담당 컨설턴트 책임자',
  // Arabic and Hebrew
  'مدير مديرة المدير الرئيس رئيس مؤسس مؤسسة المؤسس مهندس مهندسة محامي محامية مستشار مستشارة محاسب مسؤول مسؤولة شريك',
  'מנכ"ל מנכ״ל מנהל מנהלת מייסד מייסדת סמנכ"ל סמנכ״ל יו"ר מהנדס מהנדסת עורך יועץ יועצת',
  // Hindi and Thai
  'निदेशक प्रबंधक संस्थापक अध्यक्ष अभियंता ผู้จัดการ ผู้อำนวยการ กรรมการ ประธาน ผู้ก่อตั้ง หัวหน้า วิศวกร',
].join(' ');

/** Lower case, without accents; letters that do not decompose stay. */
export function plainLetters(text: string): string {
  const lower = text.toLowerCase();
  if (/^[\x20-\x7e]*$/.test(lower)) return lower;
  return normalizeText(lower, 'NFD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('đ', 'd')
    .replaceAll('ı', 'i')
    .normalize('NFC');
}

export const ROLE_WORDS: ReadonlySet<string> = new Set(
  plainLetters(`${WORDS} ${PROFESSIONS} ${OFFICES}`).split(' '),
);
/** Role words that are also surnames. */
export const SURNAME_WORDS: ReadonlySet<string> = new Set(
  `${SURNAMES} ${OFFICE_SURNAMES}`.split(' '),
);
export const ROLE_ENDINGS: readonly string[] = [...new Set(plainLetters(ENDINGS).split(' '))];
export const ROLE_PIECES: readonly string[] = PIECES.split(' ');
