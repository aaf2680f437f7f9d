import { loadConfig } from '../../src/config/load.ts'
import type { Embedder } from '../../src/embed/embedder.ts'
import { openEmbedder } from '../../src/config/embedders.ts'
import { openKernels, type Kernels } from '../../src/platform/kernels/kernels.ts'
import { loadNatives } from '../../src/platform/native/load.ts'

/**
 * Returns the kernels and the configured embedder, which must be the built-in one, as in the
 * executable.
 */
export async function openBuiltin(): Promise<{ embedder: Embedder; kernels: Kernels }> {
  const config = await loadConfig(process.env)
  const natives = await loadNatives(config.cachePath, (line) => process.stderr.write(`${line}\n`))
  const embedder = await openEmbedder(config, natives)
  if (embedder === null) throw new Error('embeddings.embedding_backend is none')
  return { embedder, kernels: openKernels(natives.kernels) }
}
