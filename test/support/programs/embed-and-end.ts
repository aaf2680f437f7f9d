/**
 * Embeds by the model of a path and says what came of it: `embed-and-end.ts MODEL [MS]`. With MS,
 * closes the embedder that long after it was given work for a minute; else leaves it open. The
 * process has to end by itself, with exit code 0.
 */
import { openBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import { golden, builtinOptions } from '../native/golden.ts'

const [model = '', closeAfterMs] = process.argv.slice(2)
const embedder = openBuiltinEmbedder(await builtinOptions(model))
const long = golden.find(({ nTokens }) => nTokens === 512)!
const texts = closeAfterMs === undefined ? ['text'] : Array(500).fill(long.text)
const embedded = embedder.embed(texts).then((block) => `${block.length}`, String)
if (closeAfterMs !== undefined) {
  await Bun.sleep(Number(closeAfterMs))
  await embedder[Symbol.asyncDispose]()
}
process.stdout.write(`${(await embedded).replaceAll('\n', ' ')}\n`)
