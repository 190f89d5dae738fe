import { expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import { regionOfText } from '#src/leads/extract/region-of-text.ts';

test.each([
  ['DE', 'Wir sind von Montag bis Freitag für Sie da und freuen uns auf Ihren Anruf.'],
  ['AT', 'Wir sind von Montag bis Freitag für Sie da. Firmenbuch FN 123456 k, UID ATU12345678'],
  ['CH', 'Unsere Werkstatt ist von Montag bis Freitag offen. CHE-123.456.789'],
  ['NL', 'Wij zijn van maandag tot en met vrijdag geopend. KvK 12345678, ook voor uw fiets.'],
  ['DK', 'Vi har åbent mandag til fredag og glæder os til at se jer. CVR 12 34 56 78'],
  ['NO', 'Vi har åpent mandag til fredag og gleder oss til å se dere i butikken vår.'],
  ['SE', 'Vi har öppet måndag till fredag och ser fram emot att träffa er. Bankgiro 123-4567'],
  ['FI', 'Olemme avoinna maanantai ja perjantai. Se on myös meidän toimisto, puh. alla.'],
  ['FR', 'Nous vous accueillons du lundi au vendredi dans notre atelier, sur rendez-vous.'],
  ['ES', 'Abrimos de lunes a viernes. Nuestro taller está en la calle del Río, ¿viene a vernos?'],
  ['PT', 'Estamos abertos de segunda a sexta. A nossa loja não fecha para as férias dos pais.'],
  ['IT', 'Siamo aperti dal lunedì al venerdì. La nostra officina è in via della Stazione.'],
  ['PL', 'Zapraszamy od poniedziałku do piątku na ul. Długą. Nasz sklep nie jest duży.'],
  ['CZ', 'Otevřeno je v pondělí a pátek. Náš obchod se nachází na náměstí, přijďte k nám.'],
  ['SK', 'Otvorené je v pondelok a piatok. Náš obchod sa nachádza na námestí, sme tu pre vás.'],
  ['HU', 'Üzletünk az utca végén van, hétfő és péntek között. Nem csak bor, hanem ez is egy.'],
  ['RO', 'Suntem deschiși de luni și marți pe strada mare. Atelierul nostru este în centru.'],
  ['HR', 'Otvoreni smo ponedjeljak i petak za sve. Naša radionica je u centru, ulica Velika.'],
  ['TR', 'Pazartesi ve cuma günleri açığız. Atölyemiz bu sokakta bir bahçe ile birlikte.'],
  ['GR', 'Είμαστε ανοιχτά από Δευτέρα έως Παρασκευή στο κέντρο της πόλης'],
  ['RU', 'Мы открыты с понедельника по пятницу, а также в выходные, это рядом с вокзалом'],
  ['UA', 'Ми відкриті з понеділка по п’ятницю, їдальня і майстерня є поруч'],
  ['JP', 'お問い合わせはこちらまでお電話ください'],
])('the numbers of a text are those of %s', (country, text) => {
  expect(regionOfText(text)).toBe(country);
});

test.each([
  ['is English', 'We are open from Monday to Friday, and this is where you find us on the map.'],
  ['says too little', 'Kontakt – Telefon'],
  [
    'fits two countries',
    'Vi er på kontoret fra kl. 9. Ring til os, det er ikke for sent. Vi er i byen med oss.',
  ],
])('a text that %s tells no country', (_, text) => {
  expect(regionOfText(text)).toBeNull();
});

test('a page without language and country is read as its text is written, else as the site', () => {
  const phones = (body: string, region: string | null = null): string[] =>
    extractPage({
      url: 'https://acme.test/',
      html: `<body>${body}</body>`,
      kind: 'html',
      region,
    }).cards.flatMap((card) => card.phones);
  const danish = '<p>Vi har åbent mandag til fredag og glæder os. CVR 12 34 56 78</p>';
  expect(phones(`${danish}<p>Tlf. 98 94 71 14</p>`)).toEqual(['+4598947114']);
  expect(phones('<p>Mobil 40 17 62 80</p>')).toEqual([]);
  expect(phones('<p>Mobil 40 17 62 80</p>', 'DK')).toEqual(['+4540176280']);
});

const ENGLISH = 'We are open from Monday to Friday, and this is where you find us.';
test.each([
  ['GB', 'The Old Reading Room, Chaloner Street, Skelderby TS99 4QN'],
  ['GB', 'Delivery is £5. 1 Mill Lane, Morpeth NE61 1AB. Partner: 5 Elm St, Albany, NY 12207'],
  ['IE', '3 Mill Lane, Dublin, D02 X285'],
  ['US', '12 Elm Street, Springfield, IL 62704-1234'],
  ['CA', '12 Elm Street, Ottawa ON K1A 0B1'],
  ['AU', '12 Elm Street, Sydney NSW 2000'],
])('an English text is from %s by its postal codes: %s', (country, address) => {
  expect(regionOfText(`${ENGLISH} ${address}`)).toBe(country);
});

test.each(['£ 20', '$20 and 20 CAD', '3 Mill Lane, NE61 1AB, and 12 Elm Street, Albany, NY 12207'])(
  'an English text with %s tells no country',
  (sign) => {
    expect(regionOfText(`${ENGLISH} ${sign}`)).toBeNull();
  },
);

test('labels of phone columns tell no country', () => {
  const html = `<h2>Styrelsen 2024</h2><table>
    <tr><td><b>Namn</b></td><td><b>Telefon</b></td></tr>
    <tr><td>Marie Ekblom</td><td>0980-319 214<br>070-174 06 11</td></tr>
    <tr><td>Tore Niia</td><td>070-174 06 13</td></tr>
    <tr><td>Birgitta Lindmark</td><td>0980-319 217</td></tr>
    <tr><td>Sven Fors</td><td>070-174 06 18</td></tr></table>`;
  const page = extractPage({
    url: 'https://klubb.example/styrelsen',
    html,
    kind: 'html',
    region: 'SE',
  });
  expect(page.region).toBe('SE');
  expect(page.cards.flatMap(({ phones }) => phones)).toContain('+46980319214');
});

test.each([
  ['few words of a neighbour', 'SE', 'Kontakt: vi er på mandag.', 'SE'],
  [
    'a language of the country',
    'CH',
    'Nous vous accueillons du lundi au vendredi dans notre atelier.',
    'CH',
  ],
  [
    'a language of America',
    'MX',
    'Abrimos de lunes a viernes. Nuestro taller está en la calle del Río.',
    'MX',
  ],
  [
    'a text of another country',
    'SE',
    'Wir sind von Montag bis Freitag für Sie da und freuen uns auf Ihren Anruf im Büro bei uns.',
    'DE',
  ],
])('the country of the site and %s', (_, site, text, country) => {
  expect(regionOfText(text, site)).toBe(country);
});
