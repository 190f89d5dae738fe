import { expect, test } from 'vitest';
import { scanPhones } from '#src/leads/extract/scan-phones.ts';

function phones(text: string, region: string): string[] {
  return scanPhones(text, region).map(({ phone }) => phone);
}

test.each([
  ['DE', 'Auftragsnummer: 0221 4710890'],
  ['DE', 'Zulassung 0221 4710890'],
  ['DE', 'Amtsgericht Köln VR 0221 4710890'],
  ['AT', 'Pfarre Au, 4712 Au | DVR 0029874(1187)'],
  ['FI', 'Tilausnumero 040 123 0410'],
  ['FR', 'Numéro de commande : 02 61 91 00 90'],
  ['ES', 'Número de socio: 976 40 27 70'],
  ['ES', 'Registro Mercantil de Huesca 976 40 27 70'],
  ['IT', 'Bando 0432 999040'],
  ['IT', 'Tel. (7.00-12.00)'],
  ['GB', 'Membership number 020 7946 0410'],
  ['CZ', 'Číslo objednávky: 541 000 118'],
  ['CZ', 'lis 250 t, výr. č. 777 204 118'],
  ['HU', 'Rendelési száma 06 1 355 0990'],
  ['BR', 'CEP 80420-000'],
  ['BR', 'CEP 80.420-000'],
  ['ES', 'Presupuesto: 987.741.140'],
  ['IT', '987.741.140'],
  ['BR', 'Rua Pimpão, 455, 01419-020'],
])('in %s, "%s" is another number', (region, text) => {
  expect(phones(text, region)).toEqual([]);
});

test.each([
  ['ES', '987.741.140', '+34987741140'],
  ['DE', 'Zentralnummer: 0221 4710890', '+492214710890'],
  ['DE', 'Abteilung Turnen: 0221 4710890', '+492214710890'],
  ['FR', 'Numéro vert 0800 123 456', '+33800123456'],
  ['FR', 'Inscriptions : 02 61 91 00 90', '+33261910090'],
  ['IT', 'Numero verde 0432 999040', '+390432999040'],
  ['ES', 'Número de contacto: 976 40 27 70', '+34976402770'],
  ['GB', 'Office number 020 7946 0410', '+442079460410'],
  ['SE', 'Tfn 0243-21 02 18', '+46243210218'],
  ['HU', 'A vendégház telefonja: 06 47 / 512-039', '+3647512039'],
  ['HU', 'Tel. 06 47 512-039 (8–18 óráig)', '+3647512039'],
  ['DE', 'Tel. 0221 4710890 (9.00-12.30 Uhr)', '+492214710890'],
  ['GR', 'Κιν. 694 417 7320', '+306944177320'],
  ['TR', 'Cep: 0530 000 04 33', '+905300000433'],
  ['BR', '(41) 3500-1820', '+554135001820'],
])('in %s, "%s" is a phone number', (region, text, phone) => {
  expect(phones(text, region)).toEqual([phone]);
});

test('a second number shares the area code in brackets before the first', () => {
  expect(phones('Tels. (477) 155-0142 y 155-0143', 'MX')).toEqual([
    '+524771550142',
    '+524771550143',
  ]);
  expect(phones('Tel. (477) 155-0142, lote 1550143', 'MX')).toEqual(['+524771550142']);
});

test('a bracket behind a number is about it, unless it has a number of its own', () => {
  expect(phones('Biuro: tel. 14 655 01 21 (faks: 14 655 01 29)', 'PL')).toEqual(['+48146550121']);
  expect(phones('Biuro: 14 655 01 21 (faks)', 'PL')).toEqual([]);
});

test('a label is that of the next number, too, if only a name in brackets stands between', () => {
  expect(phones('Na tel. 577 120 348 (Bára) a 577 120 349 (Ondra)', 'CZ')).toEqual([
    '+420577120348',
    '+420577120349',
  ]);
  expect(phones('Tel. 0221 4710890 (Jane) / 0221 4710891', 'DE')).toHaveLength(2);
});

test('a label in the cell before a number tells what it numbers', () => {
  expect(phones('P.IVA \t  \t 02347804122', 'IT')).toEqual([]);
});

test('nine digits in groups are a number behind a label, and an amount elsewhere', () => {
  expect(phones('Tel. 978.000.238 y 600.000.238', 'ES')).toEqual(['+34978000238', '+34600000238']);
  expect(phones('Total 978.000.238', 'ES')).toEqual([]);
});

test('a number behind the code of something is no phone', () => {
  expect(phones('Codice articolo: 0445 3318 020', 'IT')).toEqual([]);
});
