import type { ValueKind } from './setting-value.ts'

/**
 * A key of config.json. The list below is the only definition of keys, defaults and allowed values;
 * loading, `og config`, the environment and the documentation read it.
 */
export type Setting = {
  /** Dotted and spelled as in upstream. */
  key: string
  kind: ValueKind
  /** Null if there is no default. */
  default: SettingValue
  /**
   * The value that upstream writes into config.json when it first runs. In that file it counts as
   * not set, because no user chose it; in the environment or a flag it counts.
   */
  upstreamDefault?: SettingValue
  /** Read only by upstream; og accepts it, so that both can share one file. */
  unused?: true
  secret?: true
  doc: string
}

export type SettingValue = string | number | boolean | null

const whole = (min: number, max: number): ValueKind => ({ type: 'number', min, max, whole: true })

export const settings: readonly Setting[] = [
  {
    key: 'db_path',
    kind: { type: 'path' },
    default: null,
    doc:
      'Folder of the index, or `s3://BUCKET/PREFIX`, `az://CONTAINER/PREFIX` or ' +
      '`gs://BUCKET/PREFIX` for one in object storage. In config.json, where openground may ' +
      'have its tables under the same path, og keeps its own in the subfolder `og`; OG_DB_PATH ' +
      'names the folder itself.',
  },
  {
    key: 'store.endpoint',
    kind: { type: 'text' },
    default: null,
    doc:
      "Address of the storage of the store, where it is not the provider's own; else " +
      'AWS_ENDPOINT_URL_S3 and AWS_ENDPOINT_URL say it, or AZURE_STORAGE_CONNECTION_STRING and ' +
      'AZURE_STORAGE_SERVICE_ENDPOINT, or STORAGE_EMULATOR_HOST.',
  },
  {
    key: 'store.region',
    kind: { type: 'text' },
    default: null,
    doc:
      'Region of an `s3://` store; else AWS_REGION, AWS_DEFAULT_REGION, the ' +
      'profile, `us-east-1`.',
  },
  {
    key: 'store.profile',
    kind: { type: 'text' },
    default: null,
    doc:
      'The profile of `~/.aws/credentials` whose keys are used. Unset: AWS_ACCESS_KEY_ID and ' +
      'AWS_SECRET_ACCESS_KEY, a web identity, AWS_PROFILE or `default`, then the role of the ' +
      'container or the machine.',
  },
  {
    key: 'store.account',
    kind: { type: 'text' },
    default: null,
    doc:
      'The storage account of an `az://` store; else AZURE_STORAGE_CONNECTION_STRING, ' +
      'AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_ACCOUNT_NAME say it.',
  },
  {
    key: 'store.cache_gb',
    kind: whole(0, 100_000),
    default: 20,
    doc:
      'How many GB of copies of stores in object storage lie on this machine; those used last ' +
      'stay. What is larger than all of it is asked in the bucket; 0: everything is.',
  },
  {
    key: 'store.registry',
    kind: { type: 'text' },
    default: null,
    doc:
      'Of a `db://` or `rest://` store: the `s3://BUCKET/PREFIX` that holds its registry and ' +
      'what lies beside the tables. Its key is LANCEDB_API_KEY.',
  },
  {
    key: 'store.tables_endpoint',
    kind: { type: 'text' },
    default: null,
    doc:
      'Address of the service of a `db://` store, where it is not LanceDB Cloud; of the catalog ' +
      'of a `rest://` store.',
  },
  {
    key: 'store.tables_region',
    kind: { type: 'text' },
    default: null,
    doc: 'Its region in LanceDB Cloud; else `us-east-1`.',
  },
  {
    key: 'embeddings.embedding_backend',
    kind: {
      type: 'choice',
      choices: {
        builtin: 'builtin',
        fastembed: 'builtin',
        'sentence-transformers': 'builtin',
        openai: 'openai',
        none: 'none',
      },
    },
    default: 'builtin',
    doc:
      'What computes embeddings: `builtin` on this machine (`fastembed` and ' +
      '`sentence-transformers` mean the same), `openai` any compatible endpoint, `none` for ' +
      'full-text search alone.',
  },
  {
    key: 'embeddings.engine',
    kind: { type: 'choice', choices: { auto: 'auto', native: 'native', onnx: 'onnx' } },
    default: 'auto',
    doc:
      'What computes the built-in model: `native` our own encoder, `onnx` ONNX Runtime, whose ' +
      'weights come from `embeddings.model_dir` or the hub, `auto` the encoder where it can.',
  },
  {
    key: 'embeddings.embedding_model',
    kind: { type: 'text' },
    default: 'BAAI/bge-small-en-v1.5',
    doc:
      'Name of the embedding model; built in are `bge-small-en-v1.5`, `bge-base-en-v1.5`, ' +
      '`snowflake-arctic-embed-s`, `snowflake-arctic-embed-xs`, `all-MiniLM-L6-v2` and ' +
      '`granite-embedding-small-english-r2`. `og reembed` changes what is indexed.',
  },
  {
    key: 'embeddings.embedding_dimensions',
    kind: whole(1, 16_384),
    default: 384,
    doc: 'Length of an embedding; must be what the model returns.',
  },
  {
    key: 'embeddings.model_dir',
    kind: { type: 'path' },
    default: null,
    doc:
      'Folder that holds the model files, or a folder `OWNER--NAME` of each model; used before ' +
      'the cache and the hub.',
  },
  {
    key: 'embeddings.base_url',
    kind: { type: 'text' },
    default: null,
    doc: 'Address of an OpenAI-compatible endpoint, up to and including `/v1`.',
  },
  {
    key: 'embeddings.api_key',
    kind: { type: 'text' },
    default: null,
    secret: true,
    doc: 'Key sent to that endpoint.',
  },
  {
    key: 'embeddings.batch_size',
    kind: whole(1, 2048),
    default: 32,
    upstreamDefault: 32,
    doc: 'Texts embedded in one call.',
  },
  {
    key: 'embeddings.parallel_requests',
    kind: whole(1, 256),
    default: 4,
    doc: 'Requests to the endpoint that are under way at once.',
  },
  {
    key: 'embeddings.token_limit',
    kind: whole(1, 1_000_000_000_000),
    default: null,
    doc:
      'How many tokens of passages one run may send to the endpoint; then it ends, and the next ' +
      'goes on where it stopped. Unset: no limit.',
  },
  {
    key: 'embeddings.chunk_size',
    kind: whole(100, 100_000),
    default: null,
    upstreamDefault: 800,
    doc: 'Longest chunk in characters. Unset: up to about 1,800, cut at headings.',
  },
  {
    key: 'embeddings.chunk_overlap',
    kind: whole(0, 50_000),
    default: null,
    upstreamDefault: 200,
    doc: 'Characters that a chunk repeats of the one before. Unset: none.',
  },
  {
    key: 'extraction.concurrency_limit',
    kind: whole(1, 256),
    default: 8,
    upstreamDefault: 50,
    doc: 'Pages fetched at once.',
  },
  { key: 'query.top_k', kind: whole(1, 1000), default: 5, doc: 'How many hits a query returns.' },
  {
    key: 'mcp.answer_shape',
    kind: { type: 'choice', choices: { og: 'og', openground: 'openground' } },
    default: 'og',
    doc:
      'Text of search results over MCP: `og` is short; `openground` repeats the address, version ' +
      'and score with each hit, as openground does.',
  },
  {
    key: 'sources.auto_add_local',
    kind: { type: 'switch' },
    default: true,
    doc: 'Remember the source of an added library.',
  },
  {
    key: 'sources.file_path',
    kind: { type: 'path' },
    default: null,
    doc: 'A sources.json that is searched first.',
  },
  { key: 'table_name', kind: { type: 'text' }, default: null, unused: true, doc: 'Not used.' },
  {
    key: 'raw_data_dir',
    kind: { type: 'path' },
    default: null,
    doc: 'Folder of raw pages as JSON, as openground keeps them: `raw_data` in its data folder.',
  },
]
