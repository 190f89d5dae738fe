import type { AttackValues } from './connector-attacks.ts';
import type { SeededWorkspace } from './seed-workspace.ts';

const GROUP = '0'.repeat(32);

/** Requests of B to what operators see, and to what tells of A's documents. */
export function operationsAttacks(a: SeededWorkspace): AttackValues {
  const queue = { queue: 'document-index' };
  const documentId = a.documentIds[1] ?? '';
  return {
    paths: {
      'GET /operations/queues/{queue}': queue,
      'GET /operations/queues/{queue}/history': queue,
      'POST /operations/queues/{queue}/pause': queue,
      'POST /operations/queues/{queue}/resume': queue,
      'GET /operations/queues/{queue}/failures': queue,
      'GET /operations/queues/{queue}/failures/{group}': { ...queue, group: GROUP },
      'POST /operations/queues/{queue}/failures/retry': queue,
      'POST /operations/queues/{queue}/failures/discard': queue,
      'GET /operations/queues/{queue}/jobs': queue,
      'GET /operations/queues/{queue}/jobs/{job_id}': { ...queue, job_id: '1' },
      'POST /operations/schedules/{name}/run': { name: 'reconcile' },
      'GET /documents/{document_id}/why': { document_id: documentId },
    },
    queries: {
      'GET /find': [
        `?q=${encodeURIComponent(a.marker)}`,
        `?q=${encodeURIComponent(documentId)}`,
        `?q=${a.pairId}`,
        `?q=${a.scrapeId}`,
        `?q=${a.endpointId}`,
      ],
      'GET /operations/queues': [''],
      'GET /operations/queues/{queue}': ['?range=day'],
      'GET /operations/queues/{queue}/history': ['?range=month'],
      'GET /operations/queues/{queue}/failures': ['?range=month'],
      'GET /operations/queues/{queue}/failures/{group}': ['?range=month'],
      'GET /operations/queues/{queue}/jobs': ['?state=completed'],
      'GET /operations/alarms': ['?state=all'],
      'GET /operations/repairs': ['?range=month'],
      'GET /operations/audit': ['?queue=document-index'],
      // A stream that is allowed does not end, so its topics about things of others have a test of their own.
      'GET /live': [
        '?topics=queues',
        '?topics=queue:document-index,workers,alarms',
        '?topics=job:document-index/1',
      ],
    },
    bodies: {
      'POST /operations/queues/{queue}/pause': [{ reason: a.marker }],
      'POST /operations/queues/{queue}/resume': [{}],
      'POST /operations/queues/{queue}/failures/retry': [
        { range: 'month', count: 1_000 },
        { range: 'month', id: documentId, count: 1 },
      ],
      'POST /operations/queues/{queue}/failures/discard': [{ range: 'month', count: 1_000 }],
      'POST /operations/schedules/{name}/run': [{}],
    },
    headers: {},
  };
}
