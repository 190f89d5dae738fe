import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  asksForStream,
  type ChatRequest,
  chatRequestSchema,
  readChatRequest,
} from '#src/chat/request/chat-request.ts';

const read = (body: object): ChatRequest => readChatRequest(chatRequestSchema.parse(body));

describe('a chat request', () => {
  it.each([
    [{ message: 'a' }, false, false],
    [{ message: 'a', stream: true }, true, true],
    [{ message: 'a', stream: false, deep_research: false }, false, false],
    [{ message: 'a', stream: null, deep_research: false }, false, true],
    [{ message: 'a', include_citations: true }, false, true],
    [{ message: 'a', some_future_key: 1 }, false, true],
  ])('%j is streamed: %j, under /api: %j', (body, isStreamed, isStreamedBelowApi) => {
    const request = chatRequestSchema.parse(body);
    expect(asksForStream(request, 'sse')).toBe(isStreamed);
    expect(asksForStream(request, 'lines')).toBe(isStreamedBelowApi);
  });

  it.each([
    [{ message: ' ' }, 'message'],
    [{ message: 'x'.repeat(100_001) }, 'message'],
    [{ message: 'a', deep_research: 'yes' }, 'deep_research'],
    [{ message: 'a', file_descriptors: [7] }, 'file_descriptors'],
    [{ message: 'a', file_descriptors: Array(51).fill('x') }, 'file_descriptors'],
    [{ message: 'a', forced_tool_id: 'x' }, 'forced_tool_id'],
    [{ message: 'a', llm_overrides: [{}, {}] }, 'llm_overrides'],
    [{ message: 'a', forced_tool_id: 1, allowed_tool_ids: [] }, 'forced_tool_id'],
    [{ message: 'a', parent_message_id: 0 }, 'parent_message_id'],
    [{ message: 'a', parent_message_id: 3_000_000_000 }, 'parent_message_id'],
    [{ message: 'a', chat_session_id: 'nonsense' }, 'chat_session_id'],
    [{ message: 'a', chat_session_info: { project_id: 'x' } }, 'chat_session_info'],
    [
      {
        message: 'a',
        chat_session_id: '00000001-0000-4000-8000-000000000000',
        chat_session_info: { persona_id: 2 },
      },
      'chat_session_info',
    ],
    [{ message: 'a', llm_override: { temperature: 3 } }, 'llm_override'],
  ])('%j is refused, naming the field', (body, field) => {
    const parsed = chatRequestSchema.safeParse(body);
    expect(parsed.error?.issues[0]?.path[0]).toBe(field);
  });

  it('accepts the defaults and both spellings of the filters', () => {
    expect(
      read({ message: ' a ', chat_session_id: '', forced_tool_id: '', parent_message_id: -1 }),
    ).toMatchObject({
      message: 'a',
      sessionId: null,
      parent: 'last',
      allowedToolIds: null,
      forcedToolId: null,
      files: [],
      personaId: 0,
      projectId: null,
      citations: { isShown: true, labelsCode: true },
      llmOverride: null,
      additionalContext: null,
      filters: { source_type: [] },
    });
    expect(
      read({ message: 'a', internal_search_filters: { source_type: ['web'] } }).filters.source_type,
    ).toEqual(['web']);
    expect(read({ message: 'a', search_filters: { tags: { k: 'v' } } }).filters.tags).toEqual([
      { tag_key: 'k', tag_value: 'v' },
    ]);
    expect(read({ message: 'a', parent_message_id: null }).parent).toBe('root');
    expect(read({ message: 'a', parent_message_id: 12 }).parent).toBe(12);
    expect(read({ message: 'a', allowed_tool_ids: [] }).allowedToolIds).toEqual([]);
    expect(read({ message: 'a', allowed_tool_ids: ['1'] }).allowedToolIds).toEqual([1]);
    expect(
      read({ message: 'a', file_descriptors: ['x', { id: 'y', type: 'image', user_file_id: 'z' }] })
        .files,
    ).toEqual([
      { id: 'x', userFileId: null },
      { id: 'y', userFileId: 'z' },
    ]);
  });

  it('can be described as JSON Schema', () => {
    expect(z.toJSONSchema(chatRequestSchema, { io: 'input' })).toHaveProperty(
      '$defs.ChatRequest.properties.message',
    );
  });
});
