import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Agents and projects: what a conversation is held with, and where it belongs.
  `create table agent (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    created_by uuid references user_account on delete set null,
    name text not null,
    description text not null default '',
    instructions text not null default '',
    is_public boolean not null default true,
    tool_ids integer[],
    document_sets text[] not null default '{}',
    model_provider text,
    model_version text,
    temperature double precision,
    starter_messages json not null default '[]',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz)`,
  `create index agent_workspace on agent (workspace_id) where deleted_at is null`,
  `create table project (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid not null references user_account on delete cascade,
    name text not null,
    description text,
    instructions text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  `create index project_user on project (workspace_id, user_id)`,

  `alter table stored_file
    add column location text not null default 'database' check (location in ('database', 'disk', 's3')),
    add column description text`,
  `create table user_file (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid not null references user_account on delete cascade,
    stored_file_id uuid not null references stored_file on delete cascade,
    name text not null,
    media_type text not null,
    chat_file_type text not null check (chat_file_type in ('image', 'document', 'plain_text', 'csv')),
    status text not null default 'PROCESSING'
      check (status in ('PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED', 'DELETING')),
    text text,
    token_count integer,
    chunk_count integer,
    error text,
    attempts integer not null default 0,
    claimed_until timestamptz,
    queued_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    last_accessed_at timestamptz)`,
  `alter table user_file alter column text set storage extended`,
  `create index user_file_user on user_file (workspace_id, user_id, created_at desc)`,
  `create index user_file_stored on user_file (stored_file_id)`,
  `create index user_file_unfinished on user_file (queued_at) where status = 'PROCESSING'`,
  `create table user_file_chunk (
    user_file_id uuid not null references user_file on delete cascade,
    ordinal integer not null,
    text text not null,
    terms integer[] not null,
    primary key (user_file_id, ordinal))`,
  `create table project_file (
    project_id integer not null references project on delete cascade,
    user_file_id uuid not null references user_file on delete cascade,
    added_at timestamptz not null default now(),
    primary key (project_id, user_file_id))`,
  `create index project_file_file on project_file (user_file_id)`,

  `alter table chat_session
    add column agent_id integer references agent on delete set null,
    add column project_id integer references project on delete cascade,
    add column shared_status text not null default 'private' check (shared_status in ('private', 'public')),
    add column temperature_override double precision,
    add column alternate_model text,
    add column deleted_at timestamptz`,
  `create index chat_session_project on chat_session (project_id)`,
  `create index chat_session_agent on chat_session (agent_id)`,
  `alter table chat_message drop constraint chat_message_role_check`,
  `alter table chat_message
    add constraint chat_message_role_check check (role in ('system', 'user', 'assistant')),
    add column latest_child_id integer references chat_message on delete set null,
    add column reasoning text,
    add column documents json,
    add column files json not null default '[]',
    add column packets json,
    add column is_clarification boolean not null default false,
    add column model text,
    add column duration_ms integer,
    add column finished_at timestamptz`,
  `create index chat_message_latest_child on chat_message (latest_child_id)`,
  // Every conversation starts from an empty system message; existing ones get theirs here.
  `insert into chat_message (workspace_id, chat_session_id, role, content, citations, created_at, finished_at)
    select workspace_id, id, 'system', '', '{}', created_at, created_at from chat_session`,
  `update chat_message as message set parent_id = root.id
    from chat_message as root
    where root.role = 'system' and root.chat_session_id = message.chat_session_id
      and message.parent_id is null and message.role <> 'system'`,
  `update chat_message set finished_at = created_at where finished_at is null`,
  `update chat_message as message set latest_child_id = child.id
    from (select parent_id, max(id) as id from chat_message where parent_id is not null group by parent_id) child
    where child.parent_id = message.id`,
  `create table chat_feedback (
    chat_message_id integer primary key references chat_message on delete cascade,
    workspace_id uuid not null references workspace on delete cascade,
    is_positive boolean,
    feedback_text text,
    predefined_feedback text,
    created_at timestamptz not null default now())`,

  // Answers in progress: any process can follow one or ask it to stop.
  `create table chat_run (
    chat_message_id integer primary key references chat_message on delete cascade,
    workspace_id uuid not null references workspace on delete cascade,
    chat_session_id uuid not null references chat_session on delete cascade,
    alive_until timestamptz not null,
    stop_requested_at timestamptz,
    started_at timestamptz not null default now(),
    finished_at timestamptz)`,
  `create index chat_run_session on chat_run (chat_session_id, chat_message_id)`,
  `create index chat_run_age on chat_run (finished_at)`,
  `create table chat_run_part (
    chat_message_id integer not null references chat_run on delete cascade,
    first_line integer not null,
    lines json not null,
    primary key (chat_message_id, first_line))`,

  `create table mcp_server (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    created_by uuid references user_account on delete set null,
    name text not null,
    description text not null default '',
    server_url text not null,
    sealed_headers text,
    enabled boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  `create index mcp_server_workspace on mcp_server (workspace_id)`,
  // Ids below 1000 are reserved for the built-in tools.
  `create table custom_tool (
    id integer generated always as identity (start with 1000) primary key,
    workspace_id uuid not null references workspace on delete cascade,
    created_by uuid references user_account on delete set null,
    mcp_server_id integer references mcp_server on delete cascade,
    name text not null,
    display_name text not null,
    description text not null default '',
    definition json not null,
    sealed_headers text,
    passthrough_auth boolean not null default false,
    enabled boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (workspace_id, name))`,
  `create index custom_tool_server on custom_tool (mcp_server_id)`,

  `create table model_usage (
    workspace_id uuid not null references workspace on delete cascade,
    day date not null,
    provider text not null,
    model text not null,
    calls bigint not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    reasoning_tokens bigint not null,
    primary key (workspace_id, day, provider, model))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
