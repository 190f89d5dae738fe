import type { PacketBody } from '#src/client/packets.ts';

/** The work that the user is waiting for, according to a packet; null when the packet is about something else. */
export function describeWork(obj: PacketBody): string | null {
  switch (obj.type) {
    case 'reasoning_start':
      return 'thinking';
    case 'search_tool_queries_delta':
      return `searching ${obj.queries.map((query) => `“${query}”`).join(', ')}`;
    case 'open_url_urls':
      return `opening ${obj.urls.join(', ')}`;
    case 'python_tool_start':
      return 'running Python';
    case 'image_generation_start':
      return 'making an image';
    case 'custom_tool_start':
      return `calling ${obj.tool_name}`;
    case 'deep_research_plan_start':
      return 'planning the research';
    case 'research_agent_start':
      return `researching: ${obj.research_task}`;
    case 'intermediate_report_start':
      return 'writing an intermediate report';
    case 'stop':
    case 'section_end':
    case 'top_level_branching':
    case 'error':
    case 'message_start':
    case 'message_delta':
    case 'citation_info':
    case 'search_tool_start':
    case 'search_tool_documents_delta':
    case 'open_url_start':
    case 'open_url_documents':
    case 'image_generation_heartbeat':
    case 'image_generation_final':
    case 'python_tool_delta':
    case 'custom_tool_delta':
    case 'reasoning_delta':
    case 'reasoning_done':
    case 'deep_research_plan_delta':
    case 'intermediate_report_delta':
    case 'intermediate_report_cited_docs':
      return null;
  }
}
