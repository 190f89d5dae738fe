import { writeSync } from 'node:fs';
import { encodeFrame, type FrameKind } from './frames.ts';
import { sizeOf } from './sandbox-limits.ts';

const STDOUT = 1;

/** Writes a frame to the parent, and returns when the pipe has all of it. */
export function sendFrame(kind: FrameKind, payload: Uint8Array): void {
  let rest: Uint8Array = encodeFrame(kind, payload);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(STDOUT, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

/** Passes on the code's output up to `maxBytes`; then says so once, and drops the rest. */
export function createOutput(
  maxBytes: number,
): (kind: 'stdout' | 'stderr', bytes: Uint8Array) => void {
  let left = maxBytes;
  let cut = false;
  return (kind, bytes) => {
    const kept = bytes.subarray(0, left);
    left -= kept.length;
    if (kept.length > 0) sendFrame(kind, kept);
    if (kept.length === bytes.length || cut) return;
    cut = true;
    sendFrame(
      'stderr',
      Buffer.from(`\n[Output after the first ${sizeOf(maxBytes)} is left out.]\n`),
    );
  };
}
