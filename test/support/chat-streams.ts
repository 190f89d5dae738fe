import { expect } from 'vitest';
import { removeCitations } from '#src/chat/citations/written-citations.ts';
import {
  errorLineSchema,
  type Packet,
  type StreamLine,
  streamLineSchema,
} from '#src/chat/wire/packets.ts';

/** What came over the wire: parsed lines, each validated against the schemas, and the event ids. */
export interface ChatStream {
  status: number;
  lines: StreamLine[];
  packets: Packet[];
  ids: number[];
  /** The fatal error line of the bare framing. */
  errorLine: Record<string, unknown> | null;
  text: string;
}

/** Splits a body of server-sent events or of bare lines. */
export function readChatBody(status: number, body: string): ChatStream {
  const stream: ChatStream = {
    status,
    lines: [],
    packets: [],
    ids: [],
    errorLine: null,
    text: body,
  };
  const isEvents = body.startsWith('id: ');
  for (const block of body.split(isEvents ? '\n\n' : '\n')) {
    const rows = block.split('\n').filter((row) => row !== '' && !row.startsWith(':'));
    if (rows.length === 0) continue;
    const data = isEvents ? rows.find((row) => row.startsWith('data: '))?.slice(6) : rows[0];
    if (isEvents) stream.ids.push(Number(rows.find((row) => row.startsWith('id: '))?.slice(4)));
    const value: unknown = JSON.parse(data ?? '');
    const failure = errorLineSchema.safeParse(value);
    if (!isEvents && failure.success) {
      stream.errorLine = failure.data;
      continue;
    }
    const line = streamLineSchema.parse(value);
    expect(line).toEqual(value); // rejects fields that the schemas do not have
    stream.lines.push(line);
    if ('obj' in line) stream.packets.push(line);
  }
  return stream;
}

/** `T0.1 search_tool_start`, with runs of the same packet collapsed. */
export function orderOf({ packets }: Pick<ChatStream, 'packets'>): string[] {
  const names = packets.map(({ placement: { turn_index, tab_index, sub_turn_index }, obj }) => {
    const place = sub_turn_index === null ? '' : `.${sub_turn_index}`;
    return `T${turn_index}.${tab_index}${place} ${obj.type}`;
  });
  return names.filter((name, index) => name !== names[index - 1]);
}

/** The fields of the complete response that a client can assemble from a stream. */
export function assemble({ packets }: Pick<ChatStream, 'packets'>) {
  const whole = {
    answer: '',
    pre_answer_reasoning: null as string | null,
    top_documents: [] as unknown[],
    citation_info: [] as unknown[],
    error_msg: null as string | null,
  };
  for (const { obj, placement } of packets) {
    if (placement.sub_turn_index !== null) continue;
    if (obj.type === 'message_start') {
      whole.answer = '';
      whole.citation_info = [];
      whole.top_documents = obj.final_documents ?? [];
    }
    if (obj.type === 'message_delta') whole.answer += obj.content;
    if (obj.type === 'citation_info') whole.citation_info.push(obj);
    if (obj.type === 'reasoning_start') whole.pre_answer_reasoning = '';
    if (obj.type === 'reasoning_delta')
      whole.pre_answer_reasoning = (whole.pre_answer_reasoning ?? '') + obj.reasoning;
    if (obj.type === 'error') {
      whole.error_msg = obj.message;
      whole.answer = '';
      whole.citation_info = [];
    }
  }
  return { ...whole, answer_citationless: removeCitations(whole.answer) };
}
