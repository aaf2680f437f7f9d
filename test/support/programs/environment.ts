/**
 * Prints as JSON the environment variables that native code sees when a worker starts and when
 * LanceDB is loaded.
 */
import { dlopen } from 'bun:ffi'
import { openBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { builtinOptions, modelFiles } from '../native/golden.ts'

const libc = dlopen(process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6', {
  getenv: { args: ['ptr'], returns: 'cstring' },
})
const names = [
  'TMPDIR',
  'SQLITE_TMPDIR',
  'LANCEDB_LOG',
  'LANCE_FTS_NUM_SHARDS',
  'LANCE_FTS_PARTITION_SIZE',
  'LANCE_DEFAULT_IO_BUFFER_SIZE',
  'ORT_DISABLE_TELEMETRY',
]
const print = () => {
  const value = (name: string) => String(libc.symbols.getenv(Buffer.from(`${name}\0`)) ?? '')
  console.log(JSON.stringify(Object.fromEntries(names.map((name) => [name, value(name)]))))
}

const RealWorker = globalThis.Worker
globalThis.Worker = class extends RealWorker {
  constructor(...args: ConstructorParameters<typeof RealWorker>) {
    print()
    super(...args)
  }
}
await using embedder = openBuiltinEmbedder(await builtinOptions(modelFiles.int8))
await (await loadLance()).connect(process.argv[2]!)
await embedder.embed(['a text'])
print()
