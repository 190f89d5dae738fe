import { describe, expect, it } from 'vitest';
import type { SlackChannel } from '#src/connectors/kinds/slack/slack-channels.ts';
import { readFrom, recallChannel } from '#src/connectors/kinds/slack/slack-memory.ts';
import { SLACK_SETTINGS } from '#src/connectors/kinds/slack/slack-settings.ts';
import { openTestContext } from '#test/support/connector-context.ts';

const at = (time: string): Date => new Date(`2026-03-01T${time}Z`);

describe('the memory of a channel', () => {
  it('restarts half an hour earlier, since the clock of Slack may be behind', () => {
    const memory = { until: at('10:00:00'), bots: false, archived: false, anchor: null };
    const { context } = openTestContext();
    expect(readFrom(memory, { ...context, since: null })).toEqual(at('09:30:00'));
    expect(readFrom(memory, { ...context, since: at('09:50:00') })).toEqual(at('09:30:00'));
    expect(readFrom(memory, { ...context, since: at('08:00:00') })).toEqual(at('08:00:00'));
  });

  it('is valid only while the setting for bot messages stays the same', async () => {
    const value = {
      until: at('10:00:00').toISOString(),
      bots: false,
      archived: false,
      anchor: null,
    };
    const { context } = openTestContext();
    const recalling = { ...context, recall: async () => new Map([['channel:C1', value]]) };
    const channel = { id: 'C1' } as SlackChannel; // only its id is used
    const recall = (include_bot_messages: boolean) =>
      recallChannel(channel, SLACK_SETTINGS.parse({ include_bot_messages }), recalling);
    expect(await recall(false)).toMatchObject({ until: at('10:00:00') });
    expect(await recall(true)).toBeNull();
  });
});
