/**
 * What `import … from 'og/memory'` gives, under Bun and under Node. It imports nothing, so that the
 * types are whole without our sources; tests hold them against those.
 */

export declare const MemorySession: {
  /** Opens a workspace; without a name that of the settings. Creates it where it is missing. */
  create(workspace?: string, options?: MemoryOptions): Promise<MemorySession>
}

/** One open memory. Methods reject with an Error that bears the message of the tool. */
export type MemorySession = AsyncDisposable & {
  /** The tools that an agent is offered by the settings. */
  readonly tools: readonly ToolSchema[]
  /** Any tool of memory, listed or not, as an agent calls it. Failures are answers. */
  executeTool(name: string, args?: object): Promise<Envelope>
  /** What an agent should know when it begins; '' where there is nothing. */
  bootstrap(options?: { task?: string }): Promise<string>
  /** With `query` a search, with `file` alone that file. */
  read(request: SearchRequest): Promise<SearchAnswer>
  read(request: FileRequest): Promise<FileAnswer>
  write(request: WriteRequest): Promise<WriteAnswer>
  relate(request: RelateRequest): Promise<RelateAnswer>
  list(): Promise<{ files: ListedFile[]; count: number }>
  /** Replaces a tier by a shorter text; a backup is made first. */
  compact(request: {
    tier: string
    content: string
    expect?: string
  }): Promise<{ tier: string; chars_written: number; backup: string }>
  /** Takes over what was edited by hand; every call does so anyway. */
  sync(options?: { force?: boolean }): Promise<SyncAnswer>
  /** What is related now, or was on a day. */
  relations(query?: RelationQuery): Promise<Relation[]>
  history(options?: { file?: string; limit?: number }): Promise<HistoryEntry[]>
  /** Takes back a write by its `write_id`, or the last one. */
  undo(options?: { id?: string }): Promise<{ undone: string; file: string; write_id: string }>
  backup(): Promise<{ name: string; files: number }>
  close(): Promise<void>
}

export type MemoryOptions = {
  /** Folder of all workspaces; `~/.groundmemory` unless set. */
  root?: string
  /** In place of the process's own: GROUNDMEMORY_* are the settings. */
  env?: Readonly<Record<string, string | undefined>>
  /** Node: the program to run, by default `og` beside this module, else on the PATH. */
  executable?: string
}

export type Envelope =
  | { status: 'ok'; [field: string]: unknown }
  | { status: 'error'; message: string }

export type ToolSchema = {
  name: string
  description: string
  /** JSON Schema of the arguments. */
  inputSchema: Readonly<Record<string, unknown>>
}

/** For chat completions of OpenAI and what is compatible with them. */
export declare const openai: {
  /** `names`: only these. */
  tools(session: Pick<MemorySession, 'tools'>, names?: readonly string[]): OpenAiTool[]
  /** Appends the assistant's message, and an answer to each of its calls, to `messages`. */
  handleToolCalls(session: MemorySession, message: OpenAiMessage, messages: object[]): Promise<void>
  /** Asks until the model calls no tool, at most `maxIterations` times. @returns its last text */
  runAgentLoop(
    session: MemorySession,
    complete: (request: {
      messages: object[]
      tools: OpenAiTool[]
    }) => Promise<{ message: OpenAiMessage; finish_reason: string | null }>,
    options: { messages: object[]; maxIterations?: number },
  ): Promise<string>
}

/** For messages of Anthropic. */
export declare const anthropic: {
  tools(session: Pick<MemorySession, 'tools'>, names?: readonly string[]): AnthropicTool[]
  /** What to append to the messages; `toolResultTurn` is null where no tool was called. */
  handleToolCalls(
    session: MemorySession,
    response: AnthropicResponse,
  ): Promise<{
    assistantTurn: { role: 'assistant'; content: readonly AnthropicBlock[] }
    toolResultTurn: { role: 'user'; content: object[] } | null
  }>
  /** `system`: the bootstrap unless given. @returns the text of the last answer */
  runAgentLoop(
    session: MemorySession,
    complete: (request: {
      system: string
      messages: object[]
      tools: AnthropicTool[]
    }) => Promise<AnthropicResponse>,
    options: { messages: object[]; system?: string; maxIterations?: number },
  ): Promise<string>
}

type OpenAiTool = {
  type: 'function'
  function: { name: string; description: string; parameters: ToolSchema['inputSchema'] }
}

type OpenAiMessage = {
  role: string
  content?: string | null
  tool_calls?: readonly { id: string; function?: { name: string; arguments: string } }[] | null
}

type AnthropicTool = { name: string; description: string; input_schema: ToolSchema['inputSchema'] }

type AnthropicBlock = { type: string; id?: string; name?: string; input?: unknown; text?: string }

type AnthropicResponse = { content: readonly AnthropicBlock[]; stop_reason: string | null }

type SearchRequest = {
  query: string
  file?: string
  top_k?: number
  /** All of `tags`, one of `any_tags`. */
  tags?: readonly string[]
  any_tags?: readonly string[]
  /** YYYY-MM-DD, inclusive. */
  since?: string
  until?: string
  offset?: number
  max_tokens?: number
  mode?: 'hybrid' | 'full-text' | 'vector'
}

type FileRequest = { file: string; query?: undefined; start_line?: number; end_line?: number }

type SearchAnswer = {
  mode: 'search'
  query: string
  source: string | null
  count: number
  results: Hit[]
  /** What to pass as `offset` for more; null at the end. */
  next_offset: number | null
  relations: string[]
  /** Why hits may be missing; absent if all was searched. */
  notes?: AnswerNote[]
  /** The former key of `notes`. */
  warnings: string[]
}

type AnswerNote = { kind: string; message: string }

type Hit = {
  entry_id: string
  path: string
  source: string
  /** From 1, inclusive. */
  start_line: number
  end_line: number
  date: string | null
  tags: string[]
  text: string
  content: string
  snippet: string | null
  score: number
  vector_score: number
  text_score: number
  relation_context: string[]
}

type FileAnswer = {
  mode: 'get'
  file: string
  content: string
  chars: number
  total_lines: number
  hash: string
}

type WriteRequest = {
  file: string
  content: string
  search?: string
  start_line?: number
  end_line?: number
  tags?: readonly string[]
  expect?: string
  corrects?: string
}

type WriteAnswer = {
  file: string
  mode: 'append' | 'replace_text' | 'replace_lines' | 'delete'
  tier?: string
  chars_written?: number
  deduplicated?: boolean
  entry_id?: string
  write_id?: string
  warning?: string
  notes?: AnswerNote[]
}

type RelateRequest = {
  subject: string
  predicate: string
  object: string
  supersedes?: boolean
  note?: string
  source_file?: string
  confidence?: number
  since?: string
  until?: string
}

type RelateAnswer = {
  relation: { subject: string; predicate: string; object: string; confidence: number }
  deduplicated?: true
  superseded?: { subject: string; predicate: string; object: string }[]
  line: string
  write_id?: string
  warning?: string
  notes?: AnswerNote[]
}

type ListedFile = { file: string; line_count: number; size: number }

type SyncAnswer = {
  added: number
  updated: number
  deleted: number
  skipped: number
  errors: { file: string; error: string }[]
}

type RelationQuery = {
  entity?: string
  subject?: string
  predicate?: string
  object?: string
  /** YYYY-MM-DD: what was true on that day. */
  as_of?: string
  past?: boolean
}

type Relation = {
  id: string
  subject: string
  predicate: string
  object: string
  note: string
  date: string | null
  confidence: number
  source: string | null
  since: string | null
  until: string | null
  is_past: boolean
}

type HistoryEntry = {
  id: string
  at: string
  op: string
  file: string
  summary: string
  undone: boolean
}
