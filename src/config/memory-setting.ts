import type { ValueKind } from './setting.ts'

/**
 * A memory setting with upstream's name. This table defines all names, defaults and allowed values
 * for loading, checks and documentation.
 */
export type MemorySetting = {
  /**
   * The key with a dot, as in groundmemory.yaml. The variable is `GROUNDMEMORY_` and the key with
   * `__` for the dot.
   */
  key: string
  kind: ValueKind
  default: unknown
  /** Other keys in the YAML file, according to upstream's documentation. */
  aliases?: readonly string[]
  secret?: true
  doc: string
}

const whole = (min: number, max: number): ValueKind => ({ type: 'number', min, max, whole: true })
const share: ValueKind = { type: 'number', min: 0, max: 1 }
const text: ValueKind = { type: 'text' }
const flag: ValueKind = { type: 'switch' }
const names: ValueKind = { type: 'names' }
const choice = (...names: string[]): ValueKind => {
  const choices = Object.fromEntries(names.map((name) => [name, name]))
  return { type: 'choice', choices, anyCase: true }
}

type Row = [
  key: string,
  kind: ValueKind,
  fallback: unknown,
  doc: string,
  more?: Pick<MemorySetting, 'aliases' | 'secret'>,
]

const rows: Row[] = [
  [
    'root_dir',
    text,
    null,
    'Folder of all workspaces. Unset: `memory` in the data folder, or `~/.groundmemory` if only ' +
      'that exists.',
  ],
  ['workspace', text, 'default', 'Name of the workspace, a folder in the root.'],
  [
    'scope',
    choice('user', 'project'),
    'user',
    'Whose memory: `user` one for all, `project` one for each git repository. A set ' +
      '`workspace` comes first.',
  ],
  [
    'expose_memory_list',
    flag,
    false,
    'Offer the tool memory_list.',
    { aliases: ['mcp.expose_memory_list'] },
  ],
  [
    'dispatcher_mode',
    flag,
    false,
    'Offer the single tool memory_tool instead of all others.',
    { aliases: ['mcp.dispatcher_mode'] },
  ],
  [
    'custom_files',
    { type: 'objects' },
    [],
    'Additional files: a JSON array of {name, description, inject, max_chars, searchable, ' +
      'compactable, mutable}.',
  ],
  [
    'mutable_tiers',
    names,
    ['USER.md', 'AGENTS.md', 'RELATIONS.md'],
    "Files that may be edited. Allowed in addition: MEMORY.md, and daily for today's log.",
  ],
  [
    'embedding.provider',
    choice('local', 'openai', 'none'),
    'local',
    'Where embeddings are computed: `local` on this machine, `openai` at an ' +
      'OpenAI-compatible endpoint, `none` for full-text search only.',
  ],
  ['embedding.base_url', text, null, 'Address of the endpoint, including `/v1`.'],
  [
    'embedding.api_key',
    text,
    null,
    'API key for the endpoint. Default for the provider `openai`: OPENAI_API_KEY.',
    { secret: true },
  ],
  ['embedding.model', text, 'text-embedding-3-small', 'Model at the endpoint.'],
  ['embedding.dimensions', whole(1, 16_384), 1536, 'Number of dimensions of its embeddings.'],
  ['embedding.local_model', text, 'BAAI/bge-small-en-v1.5', 'Model of the provider `local`.'],
  ['embedding.batch_size', whole(1, 2048), 64, 'Number of texts sent to the endpoint in one call.'],
  ['search.top_k', whole(1, 100), 6, 'Number of hits that a search returns.'],
  [
    'search.fusion',
    choice('rrf', 'linear'),
    'linear',
    'How full-text and vector results are combined: by score (`linear`) or by rank (`rrf`).',
  ],
  [
    'search.candidate_multiplier',
    whole(1, 100),
    4,
    'Number of candidates per lane, as a multiple of the number of hits.',
  ],
  ['search.vector_weight', share, 0.7, 'Weight of vector search; full text has the rest.'],
  ['search.rrf_k', whole(1, 10_000), 60, 'The constant k of reciprocal rank fusion.'],
  [
    'search.temporal_decay_rate',
    { type: 'number', min: 0, max: 10 },
    0,
    'Decay by the age of an entry: scores are multiplied by exp(−rate × days). 0 turns it off.',
  ],
  [
    'search.mmr_lambda',
    share,
    0,
    'Maximal marginal relevance: 1 counts relevance only, lower values add variety. 0 turns ' +
      'it off.',
  ],
  [
    'search.rerank_model',
    choice('none'),
    'none',
    'Only `none` is accepted, because memory has no reranker.',
  ],
  [
    'chunking.tokens',
    whole(8, 100_000),
    400,
    'Maximum length of a chunk in tokens; longer entries are split.',
  ],
  [
    'chunking.overlap',
    whole(0, 100_000),
    0,
    'Number of tokens that two chunks of one entry share.',
  ],
  [
    'relations.dedup_threshold',
    share,
    0.92,
    'No effect: og keeps similar relations. Values other than 1 give a warning.',
  ],
  [
    'bootstrap.max_chars_per_file',
    whole(1, 10_000_000),
    10_000,
    'Maximum number of characters of one file.',
  ],
  [
    'bootstrap.max_total_chars',
    whole(1, 10_000_000),
    50_000,
    'Maximum number of characters of all files together.',
  ],
  ['bootstrap.inject_long_term_memory', flag, true, 'Include MEMORY.md.'],
  ['bootstrap.inject_user_profile', flag, true, 'Include USER.md.'],
  ['bootstrap.inject_agents', flag, true, 'Include AGENTS.md.'],
  ['bootstrap.inject_daily_logs', flag, true, 'Include daily logs.'],
  ['bootstrap.inject_relations', flag, true, 'Include RELATIONS.md.'],
  [
    'bootstrap.daily_log_days',
    whole(0, 3650),
    1,
    'Number of days whose logs are included; 0 means none.',
  ],
  ['bootstrap.sync_memory_on_bootstrap', flag, false, 'Read all files again at each bootstrap.'],
  [
    'bootstrap.compaction_token_threshold',
    whole(0, 100_000_000),
    0,
    'A bootstrap asks the agent to compact the files if they have more tokens than this; 0 ' +
      'means never.',
  ],
  [
    'bootstrap.compaction_token_counter',
    choice('approx'),
    'approx',
    'How tokens are counted: four characters are one token.',
  ],
  ['bootstrap.compaction_tiers', names, ['MEMORY.md'], 'Files that may be compacted.'],
  [
    'capture.accept_all',
    flag,
    false,
    'Write captured notes into memory at once instead of into the inbox for review.',
  ],
  [
    'backups.keep',
    whole(1, 100_000),
    null,
    'Number of backups to keep; older ones are deleted. Unset: all.',
  ],
  ['mcp.host', text, '127.0.0.1', 'Address that the server listens on.'],
  ['mcp.port', whole(0, 65_535), 4242, 'Port that the server listens on; 0 selects a free one.'],
  [
    'mcp.allowed_hosts',
    names,
    [],
    'Accepted Host headers, in addition to those of this machine: host or host:port.',
  ],
  [
    'mcp.forwarded_allow_ips',
    names,
    ['127.0.0.1'],
    'Proxies whose X-Forwarded headers are trusted.',
  ],
  [
    'mcp.api_key',
    text,
    null,
    'Key that every request must send as a bearer token.',
    { secret: true },
  ],
  ['mcp.keys_file', text, null, 'File of additional keys, each with its workspaces and rights.'],
  ['mcp.workspaces', names, [], 'Workspaces that one server offers. Unset: only `workspace`.'],
]

export const memorySettings: readonly MemorySetting[] = rows.map(
  ([key, kind, fallback, doc, more]) => ({ key, kind, default: fallback, doc, ...more }),
)

/** Returns a setting's variable, such as `GROUNDMEMORY_SEARCH__TOP_K` for `search.top_k`. */
export function memoryVariable(key: string): string {
  return `GROUNDMEMORY_${key.toUpperCase().replaceAll('.', '__')}`
}
