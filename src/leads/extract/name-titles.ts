import { isGivenName } from './given-names.ts';
import { plainLetters } from './role-lexicon.ts';

/** Titles before a name or between other titles; lower case, without a trailing full stop. */
const BEFORE: ReadonlySet<string> = new Set(
  (
    'dr prof professor dipl dipl.-ing dipl.-kfm dipl.-inf dipl.-kff dipl.-biol dipl.-chem dipl.-phys dipl.-psych ing ir mr mrs ms miss ' +
    'mx sir dame lord lady rev fr herr frau hr fr hon mag magister dkfm drs univ.-prof priv.-doz pd med jur phil rer nat ' +
    'oec habil h.c hc dr.-ing mba msc bsc m.sc b.sc mme mlle m me maître maitre sr sra srta d doña don dott dott.ssa avv geom ' +
    'rag arch sig sig.ra dra eng engo mgr inż inz hab mudr judr phdr rndr mvdr bc doc prof.dr dr.med dr.med.dent dr.jur prof.dr.med ' +
    'et paeddr phmr thdr icdr bca mga lek med dent vet pol agr techn theol mont oec.publ dt uzm doç op av yrd öğr gör prof.ssa arq lic dña d.ª dr.ª prof.ª eng.º eng.ª arq.ª arh univ ' +
    'geol kommr assessor ass ostd std ostr studr akad.dir mag.a dott.geol tä ta ökr okr st.b ao a.o per.ind d.ª dª siv.ing cand.jur cand.merc dhr mevr dipl.-betriebsw dipl.-wirt.-ing dipl.-päd dipl.-soz.-päd dipl.-volksw dipl.-des ifj özv ks ' +
    'sc m° m.° mº m.º г-н г-жа д-р проф τ дρ κ sayın bay bayan' +
    // Austria, Germany, Switzerland
    ' ddr mmag hofrat hofrätin medizinalrat medizinalrätin regierungsrat di din eth fh htl bmst bmstr stb stbin rae ' +
    // Britain, Ireland and the Commonwealth
    'cllr canon revd ven rt capt col lt sgt cdr brig gen archdeacon rabbi ' +
    // Czechia, Slovakia, Poland
    'mga artd rsdr pharmdr por npor kpt plk pplk mjr adw mec rpr płk ppłk mł bryg asp dh druh druhna phm lek.wet ' +
    // Romania
    'ec conf lect asist psih farm ' +
    // Slovenia, Croatia, Serbia
    'prim akad spec bacc fra mons msgr vlč univ.spec oecc iur oec sci ' +
    // Italy, Spain, Latin America, Portugal, Brazil
    'cav comm suor fray sor pbro hna hno mtra mtro lcda lcdo licda licdo lda ldo abog psic enf excmo excma ilmo ' +
    'profª profa srª engª enga enf.ª lic.ª cel ' +
    // France
    'mgr pr pre dre mes mmes ' +
    // Nordic countries
    'ft fm tkt lkt oti kht ktm ktt vtm htm fil kand civ leg ' +
    // The Netherlands, Turkey
    'mw mevrouw ds ecz mim müh dyt psk fzt smmm ymm arş'
  ).split(' '),
);

/** Titles after a name, with or without a comma; lower case, without full stops. */
const AFTER: ReadonlySet<string> = new Set(
  (
    'phd dphil md mba msc bsc ma ba ms bs llm llb jd esq cpa cfa cfp pe pmp dds dmd dvm rn np pa pac mph edd psyd cissp ' +
    'jr sr jun sen ml st мл ст dis mha mpa ii iii iv frcs mrcp acca riba ra aia meng beng obe mbe cbe cva lcsw rd ieng ceng csc do faap facs mbbs csc drsc osb sj aca fcca bed fca frics dchm' +
    // Britain, Ireland and the Commonwealth
    ' acii cii pfs dipcii certcii fcii dippfs certpfs apfs efa mrics frics assocrics mciob fciob mrtpi rtpi friba arb mice fice miet fiet ' +
    'fcmi mcmi mcipd fcipd assoccipd mcim fcim acma fcma cgma acis fcis fcg cta att ca mcsi mrcvs frcvs bvsc bvms bvetmed mvb ' +
    'rvn regn rgn srn rmn mbchb mbbch bchir bao bds mfds mrcgp frcgp mrcs frcs frcp mrcpsych frcpsych mrcog mrpharms bpharm ' +
    'mpharm mcsp mbacp cpsychol dclinpsy pgce qts npqh mcil miti oam am ac psm qc sc kc cb cmg kcb dl mp mep msp td frs frsa ' +
    'fba fsa frgs hnd hnc nd nvq onzm mnzm cnzm qsm gaicd maicd faicd bcom bmus mmus lrsm ltcl lram arcm arco frco edm ' +
    // North America
    'cpag peng leed aicp ccim sior gri sphr shrm cfre cae lmft lpc lmhc bcba dpt dnp fnp aprn crna cnm mfa mdiv dmin cfm ' +
    // The German-speaking countries
    'eth epfl sia fh hf efz hsg uzh'
  ).split(' '),
);

/** Only with a full stop behind them: "As. Maria Popescu" is an assistant, "Mar López" has a given name. */
const ABBREVIATED =
  /^(?:as|ps|pr|jr|on|sen|mar|cap|gen|biol|chim|kt|vet|ra|sr|br|pe|col|cpt|mr|dipl|bc|tech|dir)\.$/iu;
/** Of which capitals are a part: lawyers and tax consultants. */
const WITH_CAPITALS = /^(?:RA(?:in)?|StB(?:in)?|WP|vBP|DI(?:in)?|PD|PS)$/u;
/** What a part of a title is, beside titles: the endings of feminine forms and "h.c.". */
const ENDINGS = new Set(['in', 'ssa', 'a', 'ª', 'ᵃ', 'h', 'c', 'hc', 'r']);
/** "C.P.", "Q.F.B." */
const INITIALS = /^(?:\p{Lu}\.){2,4}$/u;

/** Whether a word before a name is a title: "Dr.", "Dipl.-Kffr.", "Prof.in", "mr.drs.". */
export function isTitleBefore(word: string): boolean {
  const plain = bare(word);
  if (BEFORE.has(plain) || ABBREVIATED.test(word) || WITH_CAPITALS.test(word)) return true;
  const [first = '', ...more] = plain.split(/\.-|[.-]/u).filter((part) => part !== '');
  if (more.length === 0 || !BEFORE.has(first)) return false;
  return first === 'dipl' || more.every((part) => BEFORE.has(part) || ENDINGS.has(part));
}

/**
 * Whether a word in front of others is a degree in initials, as is usual in Mexico. "J.R. Smith" has those of given
 * names; before a given name they are none.
 */
export function isDegreeBefore(word: string, next: string): boolean {
  return INITIALS.test(word) && isGivenName(plainLetters(next));
}

/** Whether a word behind a name is a title: "PhD", "MRICS", "jun.". */
export function isTitleAfter(word: string): boolean {
  const plain = word.replaceAll('.', '');
  if (/^(?:Dip|Cert|Hons)$/u.test(plain)) return true;
  if (!AFTER.has(plain.toLowerCase())) return false;
  return /\p{Lu}.*\p{Lu}/u.test(plain) || /^(?:jr|sr|jun|sen|ml|st|мл|ст)$/i.test(plain);
}

function bare(word: string): string {
  // "StD'" is short for a feminine title.
  return word.toLowerCase().replace(/[.'’]$/, '');
}
