import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectAnswer } from '#src/client/collect-answer.ts';
import { createMillraceClient, type MillraceClient } from '#src/client/millrace-client.ts';
import { AnswerInterrupted } from '#src/client/millrace-error.ts';
import { type StreamLine, streamLineSchema } from '#src/client/packets.ts';
import { makeFolder } from '#test/support/fake-service.ts';
import {
  answersText,
  END_EVENTS,
  type LlmScript,
  plays,
  playsAndHangs,
  reasoningEvent,
  type ScriptedLlm,
  startLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';
import { type Connections, startTcpProxy } from '#test/support/tcp-proxy.ts';
