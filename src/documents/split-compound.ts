/**
 * Last parts of the German compounds that business texts are made of, without accents. A list of a few hundred finds
 * most of them; a dictionary would find more, and take megabytes and guess wrong in other languages.
 */
const HEADS: ReadonlySet<string> = new Set(
  (
    'abgabe ablauf ablehnung abrechnung abteilung adresse akte anfrage angabe angebot anlage anleitung anmeldung ' +
    'anspruch antrag anweisung anwendung anzeige arbeit aufgabe auftrag ausgabe auskunft ausweis auswertung bahn ' +
    'bank bedarf bedingung behandlung behorde beitrag belastung beratung bereich bericht bescheid bescheinigung ' +
    'beschwerde besprechung bestand bestatigung bestellung betrag betrieb bewertung bewerbung beziehung blatt brief ' +
    'buch buchung budget daten dauer dienst dokument einheit einkommen eingang einstellung energie ' +
    'entwicklung erfassung ergebnis erklarung erlaubnis erstattung fahrt fahrzeug fall fehler feier feld fenster ' +
    'firma flache flug folge formular forschung frage freigabe frist funktion gebaude gebiet gebuhr gefahr geld ' +
    'gerat gericht gesellschaft gesetz gesprach gesundheit gewicht grenze grund gruppe halle haltung handbuch handel ' +
    'handlung haus hilfe hohe industrie information inhaber jahr karte kasse kauf klage klasse konferenz konto ' +
    'kontrolle kosten kraft kredit kunde kundigung kurs lager lehrgang leistung leiter leitung lieferung linie liste ' +
    'losung mahnung markt maschine massnahme material meldung messung miete mitarbeiter mitglied mittel ' +
    'modell nachweis name netz note nummer nutzung ordnung ordner paket papier pflege pflicht plan planung platz ' +
    'portal preis problem produkt programm projekt protokoll prozess prufung punkt quote raum rechnung recht regel ' +
    'regelung reise richtlinie rolle sache satz schaden schein schicht schluss schlussel schrank schule schulung ' +
    'schutz seite sendung sicherheit sicherung sitzung software speicher sperre stadt stand stelle stellung steuer ' +
    'stoff strasse strom stunde suche system tabelle tarif technik teil termin tisch titel ubersicht umlage ' +
    'umsatz unterlage unternehmen unterricht untersuchung urlaub urteil verarbeitung verband verbindung verbot ' +
    'verbrauch verein verfahren vergutung verhalten verhaltnis verkauf verkehr verlauf verlust vermogen verordnung ' +
    'versand versicherung versorgung vertrag vertrieb verwaltung verzeichnis verzug vollmacht vorlage vorschrift ' +
    'vorsorge wagen wartung wechsel werk wert wesen wirtschaft wohnung zahl zahlung zeichen zeit zeitung zentrum ' +
    'zertifikat zeugnis zimmer zins zugang zulage zuschlag zuschuss zustand zweck'
  ).split(' '),
);
const INFLECTIONS = ['', 'en', 'es', 'er', 'n', 'e', 's'];
const ENDING_LENGTH = 4;
/** How a compound may end: nearly all words of other languages are told apart by one look. */
const ENDINGS: ReadonlySet<string> = new Set(
  Array.from(HEADS).flatMap((head) =>
    INFLECTIONS.map((inflection) => `${head}${inflection}`.slice(-ENDING_LENGTH)),
  ),
);
const LETTERS_ONLY = /^\p{L}+$/u;
const SHORTEST_COMPOUND = 9;
const SHORTEST_HEAD = 4;
const LONGEST_HEAD = 16;
const SHORTEST_REST = 4;

/**
 * The parts of a German compound: `haftpflichtversicherungen` → versicherung, haftpflicht. Empty for any other word.
 * What joins two parts, as the `s` of `versicherungsnummer`, stays with the first; stems are without it.
 *
 * @param word lower case, folded
 */
export function splitCompound(word: string): string[] {
  if (word.length < SHORTEST_COMPOUND || !ENDINGS.has(word.slice(-ENDING_LENGTH))) return [];
  if (!LETTERS_ONLY.test(word)) return [];
  const found = headOf(word);
  if (found === null) return [];
  return [found.head, found.rest, ...splitCompound(found.rest)];
}

/** The longest head that leaves a word before it. */
function headOf(word: string): { head: string; rest: string } | null {
  for (let length = LONGEST_HEAD; length >= SHORTEST_HEAD; length -= 1) {
    for (const inflection of INFLECTIONS) {
      const end = word.length - inflection.length;
      const head = word.endsWith(inflection) ? word.slice(Math.max(0, end - length), end) : '';
      const rest = word.slice(0, Math.max(0, end - length));
      if (rest.length >= SHORTEST_REST && HEADS.has(head)) return { head, rest };
    }
  }
  return null;
}
