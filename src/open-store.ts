import type { Config } from './config/config.ts'
import {
  acquireModelFiles,
  embedderRecipe,
  endpointUrl,
  localModel,
  openEmbedder,
  openEmbedding,
  openOtherEmbedders,
  openTokenCounter,
  withoutEndpoint,
} from './config/embedders.ts'
import { defaultModel, findModel, type Model } from './embed/models.ts'
import { withProbe } from './embed/probe.ts'
import { openWordList } from './embed/word-list.ts'
import { chunkingOf, isBuiltTheSame } from './library/recipe.ts'
import type { DoctorContext } from './library/doctor/doctor.ts'
import { openEntryCache, type CachedEntries } from './library/entries.ts'
import type { LibraryContext } from './library/library-context.ts'
import { openKernels } from './platform/kernels/kernels.ts'
import { loadNatives, type Natives } from './platform/native/load.ts'
import { once } from './platform/concurrency.ts'

export type OpenedStore = { context: LibraryContext; entries: CachedEntries; natives: Natives }

export type NativesHook = { onNatives?: ((natives: Natives) => void) | undefined }

type Warn = (line: string) => void

/** Loads the native libraries. Operations open tables and models when they need them. */
export async function openStore(
  config: Config,
  { warn, onNatives }: NativesHook & { warn: Warn },
  stack: AsyncDisposableStack,
): Promise<OpenedStore> {
  const natives = await loadNatives(config.cachePath, warn)
  onNatives?.(natives)
  const kernels = openKernels(natives.kernels)
  const recipe = embedderRecipe(config)
  const chunking = chunkingOf(config.embeddings)
  const openedWith = (options: { threads?: number }) =>
    once(async () => {
      const opened = stack.use(await openEmbedder(config, natives, options))
      return config.embeddings.backend === 'openai' && opened ? withProbe(opened) : opened
    })
  // For a single query, one thread in ONNX Runtime is as fast as two and does half the work,
  // because two threads spin while they wait for each other. For many queries at once, two threads
  // are twice as fast.
  const [reader, writer] = [openedWith({ threads: 1 }), openedWith({})]
  let isWriting = false
  const embedder = () => (isWriting ? writer() : reader())
  const embedding = once(async () => {
    isWriting = true
    const made = await openEmbedding(config, writer)
    stack.defer(() => made?.cache[Symbol.dispose]())
    return made
  })
  return {
    natives,
    entries: stack.use(openEntryCache(config.dbPath, kernels)),
    context: {
      folder: config.dbPath,
      kernels,
      chunking,
      pageLanes: config.extraction.concurrencyLimit,
      reach: config.reach,
      fingerprint: recipe?.fingerprint ?? null,
      embedder,
      ownEmbedder: openOtherEmbedders(config, natives, stack),
      embedding,
      countTokens: once(() => openTokenCounter(config, natives)),
      isEnglishWord: openWordList(natives.tokenizer),
      isMadeBySettings: (generation) => isBuiltTheSame(generation, chunking, recipe),
    },
  }
}

/**
 * Returns the objects that doctor examines. They are opened separately, because doctor must work if
 * `openStore` fails.
 */
export function openPatient(
  config: Config,
  warn: Warn,
  openAt: (trial: Config) => ReturnType<DoctorContext['openAt']>,
): DoctorContext {
  const { backend, model } = config.embeddings
  const natives = once(() => loadNatives(config.cachePath, warn))
  const find = async (model: Model) =>
    acquireModelFiles(model, { config, natives: await natives(), offline: true })
  return {
    folder: config.dbPath,
    cachePath: config.cachePath,
    natives,
    embedder: {
      backend,
      model,
      baseUrl: endpointUrl(config),
      find: async () => find(findModel(model)),
      open: async () => openEmbedder(config, await natives(), { attempts: 1 }),
    },
    tokenizerPath: async () =>
      (await natives()).tokenizer ?? (await find(defaultModel)).tokenizerPath,
    recipe: {
      chunking: chunkingOf(config.embeddings),
      embedder: () => embedderRecipe(config),
      hasModel: async (fingerprint) => localModel(config, await natives(), fingerprint) !== null,
    },
    openAt: (dbPath) => openAt(withoutEndpoint({ ...config, dbPath })),
  }
}
