import { loadConfig } from './config/load.ts'
import { openEmbedder } from './config/embedders.ts'
import { loadMemoryConfig, type MemoryConfig, type MemoryFlags } from './config/memory.ts'
import type { Embedder } from './embed/embedder.ts'
import { openMemory, type OpenMemory } from './memory/session.ts'
import { openKernels, type Kernels } from './platform/kernels/kernels.ts'
import { areNativesUnpacked, loadNatives } from './platform/native/load.ts'
import type { Environment } from './config/paths.ts'

/** The memories in a root. Each is opened at first use and stays open. */
export type Memories = AsyncDisposable & {
  readonly config: MemoryConfig
  /** Opens a workspace, by default the one in the settings. All sessions share one embedder. */
  session(workspace?: string): Promise<OpenMemory>
}

export type OpenedMemory = OpenMemory & { readonly config: MemoryConfig }

type Warn = (line: string) => void

/** Opens the memory selected by flags and GROUNDMEMORY_*. Release it with `await using`. */
export async function openMemorySession(
  env: Environment,
  { warn, ...flags }: MemoryFlags & { warn: Warn },
): Promise<OpenedMemory> {
  const memories = openMemories(await loadMemoryConfig(env, flags), env, warn)
  const session = await memories.session()
  const release = async () => await memories[Symbol.asyncDispose]()
  return { ...session, config: memories.config, [Symbol.asyncDispose]: release }
}

export function openMemories(config: MemoryConfig, env: Environment, warn: Warn): Memories {
  for (const line of config.ignored) warn(line)
  const stack = new AsyncDisposableStack()
  const sessions = new Map<string, Promise<OpenMemory>>()
  const { embedder, kernels } = lazyArithmetic(config, { env, warn, stack })
  const { root, customFiles, settings, project } = config
  async function open(name: string): Promise<OpenMemory> {
    const isOfProject = project !== null && name === config.workspace
    const userName = isOfProject ? project.userWorkspace : null
    const options = { root, name, userName, customFiles, settings, embedder, kernels, warn }
    return stack.use(await openMemory(options))
  }
  return {
    config,
    session(name = config.workspace) {
      const session = sessions.get(name)
      if (session !== undefined) return session
      const opening = open(name).catch((error) => {
        sessions.delete(name)
        throw error
      })
      sessions.set(name, opening)
      return opening
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/**
 * Returns the path of the kernel library, for callers that need no other native library. Returns
 * null before the libraries are unpacked, because a process that only writes need not unpack them.
 */
export async function kernelsPath(env: Environment): Promise<string | null> {
  const { cachePath } = await loadConfig(env)
  return (await areNativesUnpacked(cachePath))
    ? (await loadNatives(cachePath, () => {})).kernels
    : null
}

type Surroundings = { env: Environment; warn: Warn; stack: AsyncDisposableStack }
type Arithmetic = { embedder: (() => Promise<Embedder | null>) | null; kernels: Kernels }

/**
 * Opens the configured embedder and the kernels on first use, because a process that only writes
 * needs neither.
 */
function lazyArithmetic(config: MemoryConfig, { env, warn, stack }: Surroundings): Arithmetic {
  const twin = openKernels(null, { isa: 'js' })
  if (config.embedding.provider === 'none') return { embedder: null, kernels: twin }
  let loaded = twin
  async function open(): Promise<Embedder | null> {
    const settings = await ogConfig(config, env)
    const natives = await loadNatives(settings.cachePath, warn)
    loaded = openKernels(natives.kernels)
    return openEmbedder(settings, natives)
  }
  let opening: Promise<Embedder | null> | null = null
  const embedder = () => {
    opening ??= open().catch((error) => {
      opening = null
      throw error
    })
    return opening
  }
  // Deferred before any session opens, so that the embedder closes after all sessions.
  stack.defer(async () => (await opening?.catch(() => null))?.[Symbol.asyncDispose]())
  return {
    embedder,
    kernels: {
      get isa() {
        return loaded.isa
      },
      get fallbackReason() {
        return loaded.fallbackReason
      },
      topk: (query, block, options) => loaded.topk(query, block, options),
      compress: (block, dims) => loaded.compress(block, dims),
      normalise: (block, dims) => loaded.normalise(block, dims),
      pairwise: (block, dims) => loaded.pairwise(block, dims),
    },
  }
}

/**
 * Returns og's configuration with memory's own embedder. The folder for native libraries and models
 * is the same for all of og.
 */
async function ogConfig({ embedding }: MemoryConfig, env: Environment) {
  const config = await loadConfig(env)
  const { provider, baseUrl, apiKey, model, localModel, dimensions, batchSize } = embedding
  const isLocal = provider === 'local'
  const embeddings = {
    ...config.embeddings,
    backend: isLocal ? ('builtin' as const) : ('openai' as const),
    model: isLocal ? localModel : model,
    dimensions,
    batchSize,
    baseUrl,
    apiKey,
  }
  return { ...config, embeddings }
}
