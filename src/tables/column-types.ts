import type { ColumnType } from 'kysely';

/** A column that the database fills and that may be written later. */
export type Timestamp = ColumnType<Date, Date | undefined, Date>;
/** A `json` column: an object when read, JSON text when written. */
export type Json<T> = ColumnType<T, string, string>;
/** The same, with a database default when omitted. */
export type JsonWithDefault<T> = ColumnType<T, string | undefined, string>;
/** A `date` column. Read it as text (`to_char`), because drivers parse it differently. */
export type LocalDate = ColumnType<unknown, string, string>;
