import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectAnswer } from '#src/client/collect-answer.ts';
import { readEvents } from '#src/client/read-events.ts';
import { readStreamLines } from '#src/client/read-stream-lines.ts';
import type { StreamLine } from '#src/client/packets.ts';
import { asEvents, idsLine, packet, SESSION_ID, sessionLine } from '#test/support/stream-body.ts';

async function* inParts(bytes: Uint8Array, ...sizes: number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (let part = 0; from < bytes.length; part += 1) {
    const size = sizes[part % sizes.length] ?? bytes.length;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const eventsOf = async (text: string, ...sizes: number[]) =>
  Array.fromAsync(readEvents(inParts(bytesOf(text), ...sizes)), ({ id, data }) => [id, data]);
const linesOf = async (text: string) =>
  Array.fromAsync(readStreamLines(inParts(bytesOf(text)), 0), ({ line }) => line);

describe('the events of a stream', () => {
  const body =
    ': hello\r\n\r\nid: 7\r\ndata: {"a":"漢字 🚀"}\r\n\r\n' +
    'event: x\ndata:one\ndata: two\nretry: 5\n\n' +
    'id: 8\rdata: last\r\r';
  const events = [
    ['7', '{"a":"漢字 🚀"}'],
    [null, 'one\ntwo'],
    ['8', 'last'],
  ];

  test('have their ids with any line ending, without comments and other fields', async () => {
    expect(await eventsOf(body)).toEqual(events);
  });

  test('do not depend on where the bytes are split', async () => {
    expect(await eventsOf(body, 1)).toEqual(events);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (sizes) => {
          expect(await eventsOf(body, ...sizes)).toEqual(events);
        },
      ),
    );
  });

  test('are dropped when no blank line ends them', async () => {
    expect(await eventsOf('data: one\n\ndata: cut')).toEqual([[null, 'one']]);
  });

  test('may be bare lines, even without a final newline', async () => {
    expect(await eventsOf('{"a":1}\n\n{"b":2}', 3)).toEqual([
      [null, '{"a":1}'],
      [null, '{"b":2}'],
    ]);
  });

  test('are refused above a size limit', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(1_000_000).fill(65);
    }
    await expect(Array.fromAsync(readEvents(endless()))).rejects.toThrow('longer than');
  });
});

describe('the lines of a stream', () => {
  test('are validated, and lines and packets of later versions are skipped', async () => {
    const later = [{ placement: {}, obj: { type: 'of_the_future' } }, { something: 'else' }, 7];
    const text = asEvents([sessionLine, ...later, idsLine, packet({ type: 'section_end' })]);
    expect(await linesOf(text)).toEqual([sessionLine, idsLine, packet({ type: 'section_end' })]);
  });

  test.each<[string, unknown]>([
    [
      'a packet without its members',
      { placement: packet({ type: 'section_end' }), obj: { type: 'message_delta' } },
    ],
    ['an invalid session', { chat_session_id: 5 }],
    ['invalid ids', { reserved_assistant_message_id: 'x' }],
  ])('with %s are refused', async (_what, line) => {
    await expect(linesOf(asEvents([line]))).rejects.toMatchObject({
      errorCode: 'UNEXPECTED_ANSWER',
    });
  });

  test('that are not JSON are refused, unless the stream was cut there', async () => {
    await expect(linesOf('data: {"a":\n\n')).rejects.toMatchObject({
      errorCode: 'UNEXPECTED_ANSWER',
    });
    expect(await linesOf(`${JSON.stringify(idsLine)}\n{"placement": {"tu`)).toEqual([idsLine]);
  });

  test('end with an error packet in both framings', async () => {
    const failure = {
      error: 'gone',
      stack_trace: null,
      error_code: 'API_ERROR',
      is_retryable: true,
      details: null,
    };
    const delta = packet({ type: 'message_delta', content: 'x' }, 3);
    const lines = await linesOf(`${JSON.stringify(delta)}\n${JSON.stringify(failure)}\n`);
    expect(lines[1]).toMatchObject({
      placement: { turn_index: 3, sub_turn_index: null },
      obj: { type: 'error', message: 'gone', exception: 'gone', error_code: 'API_ERROR' },
    });
  });
});

describe('a collected answer', () => {
  async function* stream(...lines: StreamLine[]): AsyncGenerator<StreamLine> {
    yield* lines;
  }

  test('is the last message, without the messages of research agents', async () => {
    const nested = { turn_index: 1, tab_index: 0, sub_turn_index: 0 };
    const answer = await collectAnswer(
      stream(
        sessionLine,
        idsLine,
        packet({ type: 'reasoning_start' }),
        packet({ type: 'reasoning_delta', reasoning: 'Hm.' }),
        packet({ type: 'message_start', final_documents: null }),
        packet({ type: 'message_delta', content: 'Let me look.' }),
        { placement: nested, obj: { type: 'reasoning_delta', reasoning: 'mine' } },
        packet({ type: 'message_start', final_documents: [] }),
        packet({ type: 'citation_info', citation_number: 1, document_id: 'a' }),
        packet({ type: 'citation_info', citation_number: 2, document_id: 'b' }),
        packet({
          type: 'message_delta',
          content: 'So [[1]](https://x.example/(a)) it is [[2]]().',
        }),
        packet({ type: 'stop', stop_reason: null }),
      ),
    );
    expect(answer).toEqual({
      answer: 'So [[1]](https://x.example/(a)) it is [[2]]().',
      answer_citationless: 'So it is.',
      pre_answer_reasoning: 'Hm.',
      top_documents: [],
      citation_info: [
        { type: 'citation_info', citation_number: 1, document_id: 'a' },
        { type: 'citation_info', citation_number: 2, document_id: 'b' },
      ],
      message_id: 2,
      chat_session_id: SESSION_ID,
      error_msg: null,
    });
  });
});
