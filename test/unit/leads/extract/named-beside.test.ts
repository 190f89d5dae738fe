import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';

function phones(body: string, lang = 'en-GB'): string[] {
  const html = `<html lang="${lang}"><title>Acme Tools</title><body>${body}</body></html>`;
  const { cards } = extractPage({ url: 'https://acme-tools.test/', html, kind: 'html' });
  return cards.flatMap((card) => card.phones);
}

describe('a number behind the name of another organisation is not the site’s', () => {
  test.each([
    ['en-GB', 'Printing: Nordlys Print Works, 020 7946 0101'],
    ['en-GB', 'Examiner: Jane Doe FCA, Pickles & Stead, 020 7946 0101'],
    ['en-GB', 'Website: Jane Doe (pixelworks.test, 020 7946 0101)'],
    ['nb', 'Heisfeil meldes til Heispartner Øst, tlf. 22 60 77 40'],
    ['nl', 'Buiten kantooruren belt u de meldkamer van Beveiliging Noordzij: 010 555 01 12'],
    ['da', 'Derefter kan du klage til Smådyrnævnet for Fyn, Klagegade 5, tlf. 33 95 60 12'],
    ['de-CH', 'Wasser, Heizung: Pikett Gebr. Wirz Sanitär, 052 555 09 00'],
    ['en-GB', 'Safety: Marsh Consulting of Leeds (Jane Doe, tel. 020 7946 0101)'],
    ['es', 'Con la ayuda de la Diputación de Soria (Servicio de Turismo, 975 10 11 13)'],
    ['pl', 'Skargę można złożyć do Rzecznika Praw Ucznia, tel. 22 551 77 00'],
  ])('%s: %s', (lang, text) => {
    expect(phones(`<p>${text}.</p>`, lang)).toEqual([]);
  });
});

describe('a number behind a name is kept', () => {
  test.each([
    ['a person', 'Bookings: Jane Doe, 020 7946 0101'],
    ['somebody with a role', 'Deputy manager until May: Brynjarik Vik, 020 7946 0101'],
    ['a form of address', 'Bookings: Mrs Brynjarik Vik, 020 7946 0101'],
    ['the site’s own name', 'Bookings: Acme Tools Leeds, 020 7946 0101'],
    ['the firm that runs the site', 'Published by: Harbour Hall, 020 7946 0101'],
    ['the site’s own name before a bracket', 'Orders: Acme Tools Leeds (Jane Doe, 020 7946 0101)'],
    ['a person before a bracket', 'Orders: Jane Doe (kitchen, 020 7946 0101)'],
    ['a place with an article', 'Our shop is open in the Grange Hall: 020 7946 0101'],
    ['a branch', 'Our office in Market Harborough, tel. 020 7946 0101'],
    ['its web site', 'Bookings: www.acme-tools.test, 020 7946 0101'],
    ['a department', 'Orders: Customer Service, 020 7946 0101'],
    ['a name alone on its line', 'Harbour Hall Leeds, 020 7946 0101'],
    ['an address of the site', 'Orders: Harbour Hall, 020 7946 0101, hall@acme-tools.test'],
  ])('%s', (_, text) => {
    expect(phones(`<p>${text}</p>`)).toContain('+442079460101');
  });

  test('that stands elsewhere without it', () => {
    const text = '<p>Printing: Nordlys Print Works, 020 7946 0101</p><p>Tel. 020 7946 0101</p>';
    expect(phones(text)).toContain('+442079460101');
  });

  test('in the card of somebody who works there', () => {
    const card = (name: string, number: string): string =>
      `<li><b>${name}</b><br>Board member<br>Works at Nordlys Print Works, tel. ${number}</li>`;
    const list = card('Jane Doe', '020 7946 0101') + card('John Smith', '020 7946 0102');
    expect(phones(`<h2>Our team</h2><ul>${list}</ul>`)).toContain('+442079460101');
  });
});

describe('beside labelled numbers, a sentence', () => {
  const tel = '<p>Tel. +44 20 7946 0100</p>';

  test.each([
    ['en-GB', 'Leave a message, and she will ring back from 020 7946 0101.'],
    ['en-GB', 'If it is urgent, please call Jane Doe on 020 7946 0101.'],
    ['de-DE', 'Herr Blum ist in der Loge oder mobil unter 0176 04069 123 zu erreichen.'],
    ['es', 'Si eres paciente de la casa y es fin de semana, llama al 644 12 09 88.'],
  ])('that asks to call has a number of the site: %s: %s', (lang, text) => {
    expect(phones(`${tel}<p>${text}</p>`, lang)).toHaveLength(2);
  });

  test.each([
    'Before you dig, please always call Wessex Digline on 020 7946 0101.',
    'The Stone Hut next door does have rooms: ring Jane Doe on 020 7946 0101.',
    'Your order has a number that looks like 020 7946 0101.',
  ])('that names somebody else has none: %s', (text) => {
    expect(phones(`${tel}<p>${text}</p>`)).toEqual(['+442079460100']);
  });
});

describe('beside labelled numbers, a number', () => {
  const tel = '<p>Tel. +44 20 7946 0100</p>';

  test('with a short label is the site’s', () => {
    expect(phones(`${tel}<p>Water mains (day and night): 020 7946 0101</p>`)).toHaveLength(2);
    expect(
      phones(`${tel}<p>Support for students, line of the ministry: 020 7946 0101</p>`),
    ).toEqual(['+442079460100']);
  });
});
