import { loadConfig } from '../../src/config/load.ts'
import { acquireModel, defaultHubEndpoint } from '../../src/embed/acquire.ts'
import { openBuiltinEmbedder } from '../../src/embed/builtin.ts'
import type { Embedder } from '../../src/embed/embedder.ts'
import { defaultModel, fingerprintOf } from '../../src/embed/models.ts'
import { openKernels, type Kernels } from '../../src/platform/kernels/kernels.ts'
import { loadNatives } from '../../src/platform/native/load.ts'

/** The built-in embedder and kernels, as the executable opens them. */
export async function openBuiltin(): Promise<{ embedder: Embedder; kernels: Kernels }> {
  const { cachePath, modelDir, embeddings } = await loadConfig(process.env)
  const natives = await loadNatives(cachePath, (line) => process.stderr.write(`${line}\n`))
  const { model: modelPath, tokenizer: tokenizerPath } = natives
  const files = await acquireModel(defaultModel, {
    embedded: modelPath && tokenizerPath ? { modelPath, tokenizerPath } : null,
    modelDir,
    cachePath,
    hubEndpoint: process.env.HF_ENDPOINT || defaultHubEndpoint,
  })
  const embedder = openBuiltinEmbedder({
    fingerprint: fingerprintOf(defaultModel),
    maxTokens: defaultModel.maxTokens,
    modelPath: files.modelPath,
    tokenizerPath: files.tokenizerPath,
    kernelsPath: natives.kernels,
    bindingPath: natives.onnxruntime,
    encoderPath: files.origin === 'embedded' ? natives.encoder : null,
    engine: embeddings.engine,
  })
  return { embedder, kernels: openKernels(natives.kernels) }
}
