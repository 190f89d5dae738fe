import { isIP } from 'node:net';
import { z } from 'zod';

/** The address to listen on. */
export const host = z
  .string()
  .trim()
  .refine(
    (text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text),
    'must be a host name or an address, such as 127.0.0.1, ::1 or 0.0.0.0, without http:// and without a port (that is PORT)',
  );

/** Address ranges, separated by commas. */
export const cidrList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((range) => range.trim())
      .filter(Boolean),
  )
  .pipe(
    z.array(
      z.union(
        [z.cidrv4(), z.cidrv6()],
        'must be CIDR ranges separated by commas, such as 10.0.0.0/8',
      ),
    ),
  );
