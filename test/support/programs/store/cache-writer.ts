/**
 * Writes embeddings of distinct and shared texts: `cache-writer.ts PATH NAME COUNT`; then waits.
 */
import { openEmbeddingCache } from '../../../../src/embed/cache.ts'
import { hashEmbedder } from '../../hash-embedder.ts'

const [path = '', name = '', count = '0'] = process.argv.slice(2)
const embedder = hashEmbedder()
const cache = openEmbeddingCache(path, embedder)
for (let i = 0; i < Number(count); i++) {
  const texts = [`${name} ${i}`, `common ${i}`]
  cache.write(texts, await embedder.embed(texts))
}
process.stdout.write('written\n')
setTimeout(() => cache[Symbol.dispose](), 60_000)
