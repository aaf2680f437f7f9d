/**
 * The types of `import … from 'og/memory'` for Bun and Node. Without imports, programs can use the
 * types without og's sources. Tests compare them with the implementations.
 */

export declare const MemorySession: {
  /** Opens a workspace, or creates it if it is missing. The default is the one in the settings. */
  create(workspace?: string, options?: MemoryOptions): Promise<MemorySession>
}

/**
 * An open memory. If a tool fails, the method rejects with an Error that contains the tool's
 * message.
 */
export type MemorySession = AsyncDisposable & {
  /** The tools for an agent according to the settings. */
  readonly tools: readonly ToolSchema[]
  /** Calls any memory tool, listed or not, as an agent would. Returns failures in the envelope. */
  executeTool(name: string, args?: object): Promise<Envelope>
  /** Returns the text for the start of a session, or '' if memory is empty. */
  bootstrap(options?: { task?: string }): Promise<string>
  /** Searches if there is a `query`; otherwise reads `file`. */
  read(request: SearchRequest): Promise<SearchAnswer>
  read(request: FileRequest): Promise<FileAnswer>
  write(request: WriteRequest): Promise<WriteAnswer>
  relate(request: RelateRequest): Promise<RelateAnswer>
  list(): Promise<{ files: { file: string; line_count: number; size: number }[]; count: number }>
  /** Replaces a tier with a shorter text after a backup. */
  compact(request: {
    tier: string
    content: string
    expect?: string
  }): Promise<{ tier: string; chars_written: number; backup: string }>
  /** Indexes manual edits. Every other call does this too. */
  sync(options?: { force?: boolean }): Promise<SyncAnswer>
  /** Returns the relations that are true now or on a given day. */
  relations(query?: RelationQuery): Promise<Relation[]>
  history(options?: { file?: string; limit?: number }): Promise<HistoryEntry[]>
  /** Undoes the write with the given id (`write_id`), by default the last write. */
  undo(options?: { id?: string }): Promise<{ undone: string; file: string; write_id: string }>
  backup(): Promise<{ name: string; files: number }>
  close(): Promise<void>
}

export type MemoryOptions = {
  /** The folder of all workspaces. The default is the folder that `og doctor` prints. */
  root?: string
  /** Replaces the environment of the process. GROUNDMEMORY_* variables are settings. */
  env?: Readonly<Record<string, string | undefined>>
  /** Node only: the program to start. By default, `og` next to this module, or else on the PATH. */
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

/** For chat completions of OpenAI and compatible servers. */
export declare const openai: {
  /** Returns all tools, or those in `names`. */
  tools(session: Pick<MemorySession, 'tools'>, names?: readonly string[]): OpenAiTool[]
  /** Appends the assistant's message and its tool results to `messages`. */
  handleToolCalls(session: MemorySession, message: OpenAiMessage, messages: object[]): Promise<void>
  /**
   * Calls the model until it stops calling tools, at most `maxIterations` times.
   * @returns the model's last text
   */
  runAgentLoop(
    session: MemorySession,
    complete: (request: {
      messages: object[]
      tools: OpenAiTool[]
    }) => Promise<{ message: OpenAiMessage; finish_reason: string | null }>,
    options: { messages: object[]; maxIterations?: number },
  ): Promise<string>
}

/** For Anthropic's Messages API. */
export declare const anthropic: {
  tools(session: Pick<MemorySession, 'tools'>, names?: readonly string[]): AnthropicTool[]
  /**
   * Returns the turns to append to the messages. `toolResultTurn` is null if the model called no
   * tool.
   */
  handleToolCalls(
    session: MemorySession,
    response: AnthropicResponse,
  ): Promise<{
    assistantTurn: { role: 'assistant'; content: readonly AnthropicBlock[] }
    toolResultTurn: { role: 'user'; content: object[] } | null
  }>
  /** `system` defaults to the bootstrap text. @returns the model's last text */
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
  /** An entry must have all of `tags` and at least one of `any_tags`. */
  tags?: readonly string[]
  any_tags?: readonly string[]
  /** An inclusive date, YYYY-MM-DD. */
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
  /** `weak` means that no hit is clearly relevant. */
  confidence: 'high' | 'weak'
  results: Hit[]
  /** The `offset` of the next page; null on the last page. */
  next_offset: number | null
  relations: string[]
  /** Reasons why hits may be missing; undefined if the whole memory was searched. */
  notes?: AnswerNote[]
  /** The old name of `notes`. */
  warnings: string[]
}

type AnswerNote = { kind: string; message: string }

type Hit = {
  entry_id: string
  path: string
  source: string
  /** 1-based, inclusive. */
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
  /** `weak` means that the entry is near the query but may be unrelated. */
  confidence: 'high' | 'weak'
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
  supersedes?: string
  valid_from?: string
  until?: string
  /** The duration of validity, such as `30d`, `2w`, `6m` or `1y`. */
  for?: string
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
  /** Selects relations that were true on this day, YYYY-MM-DD. */
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
