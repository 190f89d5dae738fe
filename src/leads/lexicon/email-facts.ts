import { isDisposableEmailDomain } from 'disposable-email-domains-js';
import { registrableDomain } from './registrable-domain.ts';

/** Local parts of role addresses: in English, then by language. */
const ROLES = new Set(
  (
    'info information informations infos hello hi hey contact contacts contactus contact-us mail email e-mail office admin administrator administration ' +
    'sales sale support help helpdesk service services customerservice customer-service customercare care team press media pr ' +
    'marketing jobs job career careers hr recruiting recruitment work people billing accounts accounting invoice invoices finance payments orders ' +
    'order shop store booking bookings reservations reservation reception frontdesk legal privacy dpo gdpr compliance abuse security ' +
    'postmaster hostmaster webmaster web noc root noreply no-reply donotreply do-not-reply feedback enquiries enquiry inquiries inquiry general ' +
    'partners partner partnerships business investors ir newsletter news events event editor editorial everyone all staff ' +
    'mailbox inbox franchise franchising franchises licensing rental sponsoring sponsors secretary secretariat welcome ask questions returns shipping wholesale export import purchasing procurement ' +
    // German
    'kontakt anfrage anfragen buero büro vertrieb verkauf kundenservice kundendienst kundenbetreuung beratung bestellung bestellungen bewerbung ' +
    'bewerbungen karriere personal presse datenschutz buchhaltung rechnung rechnungen sekretariat empfang zentrale verwaltung ' +
    'geschaeftsfuehrung geschäftsführung werkstatt praxis kanzlei redaktion hallo post poststelle rezeption reservierung technik einkauf ' +
    // French
    'bureau accueil bonjour ventes vente commercial commerciale commande commandes client clients serviceclient service-client relationclient ' +
    'recrutement emploi rh presse comptabilite comptabilité facturation direction secretariat secrétariat devis rgpd donneespersonnelles ' +
    // Spanish and Catalan
    'contacto hola ventas oficina atencion atención atencioncliente atencionalcliente clientes pedidos pedido empleo rrhh prensa facturacion ' +
    'facturación administracion administración recepcion recepción reservas comercial soporte ayuda informacion información consultas contacte ' +
    // Portuguese
    'contato contacto geral ola olá vendas atendimento suporte ajuda comercial escritorio escritório financeiro faturamento imprensa ' +
    'administracao administração recepcao recepção encomendas empregos sac ouvidoria faleconosco ' +
    // Italian
    'contatto contatti ciao vendite ufficio segreteria amministrazione commerciale assistenza supporto ordini ordine clienti lavoro ' +
    'risorseumane stampa prenotazioni fatturazione direzione acquisti preventivi informazioni pec ' +
    // Dutch
    'kantoor verkoop klantenservice klantendienst bestellingen administratie receptie vacatures pers boekhouding facturen inkoop hallo welkom ' +
    // Polish, Czech, Slovak
    'biuro sprzedaz sprzedaż zamowienia zamówienia sekretariat ksiegowosc księgowość praca rekrutacja pomoc obsluga obsługa handlowy rodo ' +
    'obchod prodej objednavky podpora kancelar kancelář uctarna fakturace dotazy predaj objednavky ' +
    // Swedish, Danish, Norwegian, Finnish
    'kontor forsaljning försäljning kundtjanst kundtjänst order ordre salg kundeservice bogholderi regnskab firmapost post kontakta ' +
    'myynti toimisto asiakaspalvelu tilaukset laskutus yhteys tiedustelut hej hei ' +
    // Turkish, Hungarian, Romanian, Greek, Croatian
    'bilgi iletisim satis satış destek musteri müşteri muhasebe ik insankaynaklari iroda ertekesites értékesítés ugyfelszolgalat ' +
    'ügyfélszolgálat rendeles rendelés titkarsag titkárság vanzari vânzări comenzi birou secretariat relatii grammateia pwliseis ' +
    'prodaja ured uprava racunovodstvo računovodstvo ' +
    // Offices and departments of public bodies, associations, schools and workshops, by language
    'membership members committee chairman treasurer clerk council councillors headteacher principal school bursar governors workshop estimates ' +
    'quotes lettings rentals tickets boxoffice volunteers community safeguarding board maintainers conduct ' +
    'verein vorstand schatzmeister tourismus gaeste rathaus gemeinde bauamt standesamt buergerbuero kasse angebot lager versand disposition ' +
    'fuhrpark ausbildung mairie etude notaires ecole urbanisme etatcivil communication adherents secretaire president presidente tresorier ' +
    'presidence atelier boutique negociation gerance successions laboratoire taller tienda fabrica calidad produccion logistica direccion ' +
    'jefatura secretaria turismo servicio comune anagrafe protocollo sindaco ufficiotecnico tributi prestampa produzione magazzino qualita ' +
    'loja orcamentos eventos direcao gemeente ledenadministratie secretariaat secretaris voorzitter penningmeester bestuur planning werkplaats ' +
    'offerte offertes verhuur redactie obec starosta podatelna urad skola reditel reditelka jidelna druzina spedycja transport kadry zarzad ' +
    'prezes dyrekcja biblioteka serwis servis ordforande kassor sekreterare styrelse styrelsen offert faktura verkstad butik bokning medlem ' +
    'styret kasserer verksted tilbud regnskap utleie elnok titkar muhely szerviz proiecte ofertare dernek uyelik baskan randevu klinik ' +
    'ihracat ithalat satinalma fabrika teknik ' +
    // Russian and Ukrainian, Japanese, Chinese, Korean, transliterated or in their own scripts
    'инфо почта офис продажи контакт zakaz prodazhi pochta buh reklama otvet toiawase otoiawase soudan eigyo eigyou jinji saiyo saiyou koho ' +
    'kouhou kefu shangwu zhaopin'
  ).split(' '),
);
/** For organisations with several of one role: `sales-uk`, `info.berlin`, `support2`. */
const FIRST_PART = /^[\p{L}\p{M}]+/u;
/** These may also begin personal addresses, or tell little. */
const WEAK_FIRST_PARTS = new Set(
  'all hi hey mail email work people post ask web client pers care personal order ordre ir pr hr ik rh'.split(
    ' ',
  ),
);

const FREE_MAIL = new Set(
  (
    'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com rocketmail.com aol.com icloud.com ' +
    'me.com mac.com proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.io tuta.com fastmail.com fastmail.fm ' +
    'zoho.com zohomail.com mail.com email.com gmx.com gmx.net gmx.de gmx.at gmx.ch web.de t-online.de freenet.de arcor.de posteo.de ' +
    'mailbox.org online.de 1und1.de vodafone.de hushmail.com hey.com yandex.com yandex.ru ya.ru mail.ru bk.ru inbox.ru list.ru rambler.ru ukr.net ' +
    'i.ua meta.ua wp.pl o2.pl onet.pl interia.pl op.pl poczta.fm gazeta.pl tlen.pl seznam.cz email.cz centrum.cz post.cz volny.cz azet.sk ' +
    'zoznam.sk centrum.sk freemail.hu citromail.hu abv.bg mail.bg orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr ' +
    'libero.it virgilio.it tiscali.it alice.it tin.it inwind.it telefonica.net terra.es uol.com.br bol.com.br terra.com.br ig.com.br ' +
    'globo.com sapo.pt iol.pt netcabo.pt ziggo.nl kpnmail.nl planet.nl xs4all.nl hetnet.nl home.nl telenet.be skynet.be bluewin.ch ' +
    'hispeed.ch chello.at aon.at btinternet.com bt.com sky.com virginmedia.com talktalk.net ntlworld.com blueyonder.co.uk comcast.net verizon.net att.net ' +
    'sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com rogers.com shaw.ca sympatico.ca bigpond.com optusnet.com.au ' +
    'xtra.co.nz qq.com 163.com 126.com sina.com sina.cn sohu.com foxmail.com aliyun.com naver.com daum.net hanmail.net nate.com docomo.ne.jp ' +
    'ezweb.ne.jp softbank.ne.jp rediffmail.com telia.com spray.se online.no luukku.com suomi24.fi mynet.com windowslive.com lycos.com'
  ).split(' '),
);
/** Providers with domains in many countries, such as `yahoo.co.uk`. */
const FREE_MAIL_ANYWHERE =
  /^(?:yahoo|hotmail|outlook|live|gmx|aol|yandex)\.[a-z]{2,3}(?:\.[a-z]{2})?$/;

/** Certified mail in Italy (PEC), which firms have beside their own domain. */
const CERTIFIED_MAIL =
  /^(?:[a-z0-9-]+\.)*(?:(?:aruba)?pec(?=[.-]|sicura|mail)|legalmail|postecert|postacertificata)[a-z-]*\./;

/** Whether this is a role address (`info@`, `kontakt@`, `ventas@`), not a person's. */
export function isRoleAddress(email: string): boolean {
  const local = localPart(email);
  const plain = local.replaceAll(/[._-]/g, '');
  if (ROLES.has(local) || ROLES.has(plain)) return true;
  const first = FIRST_PART.exec(local)?.[0] ?? '';
  if (!ROLES.has(first) || WEAK_FIRST_PARTS.has(first)) return false;
  return first.length < local.length;
}

/** Whether its domain provides throwaway addresses. */
export function isDisposable(email: string): boolean {
  const domain = domainOf(email);
  return (
    isDisposableEmailDomain(domain) || isDisposableEmailDomain(registrableDomain(domain) ?? domain)
  );
}

/** Whether its domain gives addresses to everyone, so that it does not tell where the person works. */
export function isFreeMail(email: string): boolean {
  const domain = domainOf(email);
  return FREE_MAIL.has(domain) || FREE_MAIL_ANYWHERE.test(domain) || CERTIFIED_MAIL.test(domain);
}

function localPart(email: string): string {
  const local = email.slice(0, Math.max(0, email.lastIndexOf('@'))).toLowerCase();
  const tag = local.indexOf('+');
  return tag > 0 ? local.slice(0, tag) : local;
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}
