import type { ValueKind } from './setting-value.ts'

/**
 * A memory setting, by upstream's name. This table is the only definition of names, defaults and
 * allowed values; loading, checks and documentation read it.
 */
export type MemorySetting = {
  /**
   * Dotted, as in groundmemory.yaml; its variable is `GROUNDMEMORY_` plus the key with `__` for the
   * dot.
   */
  key: string
  kind: ValueKind
  default: unknown
  /** Other keys under which upstream's documentation lists it in the YAML file. */
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
  ['root_dir', text, '~/.groundmemory', 'Folder of all workspaces.'],
  ['workspace', text, 'default', 'Name of the workspace, a folder of the root.'],
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
    'Offer one tool, memory_tool, in place of all.',
    { aliases: ['mcp.dispatcher_mode'] },
  ],
  [
    'custom_files',
    { type: 'objects' },
    [],
    'More files: JSON array of {name, description, inject, max_chars, searchable, ' +
      'compactable, mutable}.',
  ],
  [
    'mutable_tiers',
    names,
    ['USER.md', 'AGENTS.md', 'RELATIONS.md'],
    'Tiers that may be edited; also MEMORY.md, and daily for the log of today.',
  ],
  [
    'embedding.provider',
    choice('local', 'openai', 'none'),
    'local',
    'What computes embeddings: `local` on this machine, `openai` any compatible endpoint, `none`.',
  ],
  ['embedding.base_url', text, null, 'Address of the endpoint, up to and including `/v1`.'],
  [
    'embedding.api_key',
    text,
    null,
    'Key sent to it; unless set OPENAI_API_KEY, but for the provider `openai` only.',
    { secret: true },
  ],
  ['embedding.model', text, 'text-embedding-3-small', 'Model of the endpoint.'],
  ['embedding.dimensions', whole(1, 16_384), 1536, 'Length of its embeddings.'],
  ['embedding.local_model', text, 'BAAI/bge-small-en-v1.5', 'Model of the provider `local`.'],
  ['embedding.batch_size', whole(1, 2048), 64, 'Texts sent to the endpoint in one call.'],
  ['search.top_k', whole(1, 100), 6, 'Hits of a search.'],
  ['search.fusion', choice('rrf', 'linear'), 'linear', 'How words and meaning are joined.'],
  ['search.candidate_multiplier', whole(1, 100), 4, 'Candidates of each lane: hits × this.'],
  ['search.vector_weight', share, 0.7, 'Weight of meaning; words have the rest.'],
  ['search.rrf_k', whole(1, 10_000), 60, 'The constant of reciprocal rank fusion.'],
  [
    'search.temporal_decay_rate',
    { type: 'number', min: 0, max: 10 },
    0,
    'exp(−rate × days) by the date of the entry; 0: off.',
  ],
  [
    'search.mmr_lambda',
    share,
    0,
    'Variety (maximal marginal relevance): 1 relevance alone, towards 0 variety; 0: off.',
  ],
  [
    'search.rerank_model',
    choice('none'),
    'none',
    'og has no second model that ranks again, so only `none` is accepted.',
  ],
  ['chunking.tokens', whole(8, 100_000), 400, 'Longest piece of an entry that is found as one.'],
  ['chunking.overlap', whole(0, 100_000), 0, 'Tokens that pieces of one entry share.'],
  [
    'relations.dedup_threshold',
    share,
    0.92,
    'Accepted with a warning unless 1; relations that are alike are both kept.',
  ],
  ['bootstrap.max_chars_per_file', whole(1, 10_000_000), 10_000, 'Characters of one file.'],
  ['bootstrap.max_total_chars', whole(1, 10_000_000), 50_000, 'Characters of all files.'],
  ['bootstrap.inject_long_term_memory', flag, true, 'Show MEMORY.md.'],
  ['bootstrap.inject_user_profile', flag, true, 'Show USER.md.'],
  ['bootstrap.inject_agents', flag, true, 'Show AGENTS.md.'],
  ['bootstrap.inject_daily_logs', flag, true, 'Show daily logs.'],
  ['bootstrap.inject_relations', flag, true, 'Show RELATIONS.md.'],
  ['bootstrap.daily_log_days', whole(0, 3650), 1, 'How many days of logs; 0: none.'],
  ['bootstrap.sync_memory_on_bootstrap', flag, false, 'Read every file anew at each bootstrap.'],
  [
    'bootstrap.compaction_token_threshold',
    whole(0, 100_000_000),
    0,
    'Tokens of the tiers from which on compaction is asked for; 0: never.',
  ],
  [
    'bootstrap.compaction_token_counter',
    choice('approx'),
    'approx',
    'How tokens are counted: four characters each.',
  ],
  ['bootstrap.compaction_tiers', names, ['MEMORY.md'], 'Tiers that may be compacted.'],
  [
    'capture.accept_all',
    flag,
    false,
    'Write captured notes into memory at once; false: into the inbox, for review.',
  ],
  ['backups.keep', whole(1, 100_000), null, 'Backups to keep, the newest; unset: all.'],
  ['mcp.host', text, '127.0.0.1', 'Address that the server listens on.'],
  ['mcp.port', whole(0, 65_535), 4242, 'Its port; 0: a free one.'],
  [
    'mcp.allowed_hosts',
    names,
    [],
    'Host headers accepted beside those of this machine, as host:port or host.',
  ],
  ['mcp.forwarded_allow_ips', names, ['127.0.0.1'], 'Proxies whose X-Forwarded headers count.'],
  ['mcp.api_key', text, null, 'Every request needs it as a bearer token.', { secret: true }],
  ['mcp.keys_file', text, null, 'File of further keys, each with its workspaces and rights.'],
  ['mcp.workspaces', names, [], 'Workspaces that one server offers; unset: `workspace` alone.'],
]

export const memorySettings: readonly MemorySetting[] = rows.map(
  ([key, kind, fallback, doc, more]) => ({ key, kind, default: fallback, doc, ...more }),
)

/** Returns the variable of a setting: `search.top_k` → `GROUNDMEMORY_SEARCH__TOP_K`. */
export function memoryVariable(key: string): string {
  return `GROUNDMEMORY_${key.toUpperCase().replaceAll('.', '__')}`
}
