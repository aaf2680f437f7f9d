/**
 * Embeds with the model at a path and prints the result: `embed-and-end.ts MODEL [MS]`. With MS,
 * starts a minute of work and closes the embedder after that time; otherwise leaves it open. The
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
