import { expect, it } from 'vitest';
import { summarize } from '#src/platform/trace-statements.ts';

it.each([
  ['select "id" from "document" where "id" = $1', 'SELECT', 'SELECT document'],
  ['insert into webhook_event (id) values ($1)', 'INSERT', 'INSERT webhook_event'],
  ['  update document set status = $1', 'UPDATE', 'UPDATE document'],
  ['copy chunk (id) from stdin (format binary)', 'COPY', 'COPY chunk'],
  ['with due as (select id from lead) delete from lead using due', 'SELECT', 'SELECT lead'],
  ['begin', 'BEGIN', 'BEGIN'],
  ['select 1', 'SELECT', 'SELECT'],
])('%s is %s, in short %s', (statement, verb, summary) => {
  expect(summarize(statement)).toEqual({ verb, summary });
});
