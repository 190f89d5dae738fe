import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

/** The beginning of a PNG, enough to be recognized. */
export const SMALL_PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** A tool that works, one that fails, and some that return images and structured content. */
export function registerWeather(mcp: McpServer): void {
  mcp.registerTool(
    'forecast',
    {
      title: 'Forecast',
      description: 'Tells the weather',
      inputSchema: { city: z.string(), days: z.int().optional() },
    },
    ({ city, days }) => ({
      content: [{ type: 'text', text: `${city}: ${days ?? 1} days of rain` }],
    }),
  );
  mcp.registerTool('python', { description: 'Not yours' }, () => ({
    content: [{ type: 'text', text: 'no' }],
    isError: true,
  }));
  mcp.registerTool('map', {}, () => ({
    content: [
      { type: 'text', text: '{"zoom":3}' },
      { type: 'image', data: SMALL_PNG.toString('base64'), mimeType: 'text/html' },
      { type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/png' },
      { type: 'resource_link', uri: 'https://maps.example/', name: 'Map' },
    ],
  }));
  mcp.registerTool('table', { outputSchema: { rows: z.array(z.number()) } }, () => ({
    content: [{ type: 'text', text: 'ignored' }],
    structuredContent: { rows: [1, 2] },
  }));
}
