import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { grammarPaths } from '../../src/api/grammar/grammar-file.ts'

const root = join(import.meta.dir, '../..')
/** Higher levels make the executable 0.1 MB smaller and take 5 s. */
const level = 12

/**
 * Replaces src/api/grammar/grammar-file.ts with a module that reads the grammars from the
 * executable. Compression reduces them from 11 to 0.8 MB.
 */
export function bundledGrammars(): BunPlugin {
  return {
    name: 'bundled grammars',
    setup(builder) {
      builder.onLoad({ filter: /src.api.grammar.grammar-file\.ts$/ }, async () => {
        const names = Object.keys(grammarPaths)
        const paths = await Promise.all(Object.entries(grammarPaths).map(compressed))
        const imports = names.map(
          (name, i) => `import ${name} from ${JSON.stringify(paths[i])} with { type: 'file' }\n`,
        )
        const contents = `${imports.join('')}const paths = { ${names.join(', ')} }
export const grammarBytes = async (name) =>
  Bun.zstdDecompress(await Bun.file(paths[name]).bytes())`
        return { contents, loader: 'js' }
      })
    },
  }
}

/** Returns the path of the compressed file. */
async function compressed([name, path]: [string, string]): Promise<string> {
  const folder = join(root, 'build', 'grammars')
  await mkdir(folder, { recursive: true })
  const out = join(folder, `${name}.zst`)
  await writeFile(
    out,
    Bun.zstdCompressSync(await readFile(join(root, 'node_modules', path)), { level }),
  )
  return out
}
