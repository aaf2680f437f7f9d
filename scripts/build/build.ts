/** Builds dist/og: one executable with everything inside. `--level N`: zstd level (default 12). */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob, type BunPlugin } from 'bun'
import type { BundledFiles } from '../../src/platform/native/bundled.ts'
import { writeFileAtomically } from '../../src/platform/file/files.ts'
import { lockExclusive } from '../../src/platform/lock.ts'
import { bundledGrammars } from './grammars.ts'
import { collectLicenses } from './licenses.ts'
import { copyAssets, defaultLevel, installedParts, prepareNatives, type Sets } from './natives.ts'
import { hostTarget, type Target } from './target.ts'

const root = join(import.meta.dir, '../..')
const outfile = join(root, 'dist', 'og')

/**
 * Builds dist/og, with ONNX Runtime beside it, unless its inputs are unchanged. Returns the path of
 * the executable.
 */
export async function build(options = { level: defaultLevel }): Promise<string> {
  const what = 'the build folder'
  using _turn = await lockExclusive(join(root, 'build', 'lock'), { timeoutMs: 900_000, what })
  await buildClient()
  const target = hostTarget()
  const sets = await prepareNatives(target, await installedParts(target), options)
  await copyAssets(sets, dirname(outfile))
  const key = await inputsKey(sets)
  const record = join(root, 'build', 'og.key')
  if (existsSync(outfile) && existsSync(record) && readFileSync(record, 'utf8') === key) {
    return outfile
  }
  await compileExecutable(target, sets, { outfile, runtime: null })
  await writeFile(record, key)
  return outfile
}

/**
 * Compiles src into one file. `runtime` is the path of another Bun (null: the running one),
 * `lancedbPackage` the folder of another LanceDB (null: the one in node_modules).
 */
export async function compileExecutable(
  target: Target,
  sets: Sets,
  {
    outfile,
    runtime,
    lancedbPackage = null,
  }: { outfile: string; runtime: string | null; lancedbPackage?: string | null },
): Promise<void> {
  // Stack traces contain the file name, so only the folder is temporary.
  const folder = join(dirname(outfile), `new-${process.pid}`)
  await mkdir(folder, { recursive: true })
  const fresh = join(folder, basename(outfile))
  const licenses = join(root, 'build', 'licenses.txt')
  const text = await collectLicenses()
  await writeFile(licenses, text)
  await writeFile(`${licenses}.zst`, Bun.zstdCompressSync(text, { level: 19 }))
  const result = await Bun.build({
    // The worker thread of the embedder has its own entry point.
    entrypoints: ['src/main.ts', 'src/embed/worker.ts'].map((path) => join(root, path)),
    root: join(root, 'src'),
    compile: {
      outfile: fresh,
      ...(runtime === null ? {} : { target: compileTarget(target), executablePath: runtime }),
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    } as never,
    minify: { whitespace: true, syntax: true },
    sourcemap: 'none',
    // A process reads only the chunks of its command.
    format: 'esm',
    splitting: true,
    bytecode: true,
    external: ['@lancedb/lancedb-*', '@huggingface/transformers', 'openai', 'canvas'],
    plugins: [
      bundledFiles(target, sets, `${licenses}.zst`),
      bundledGrammars(),
      onnxruntimeBinding,
      lanceBinding,
      await compressedPdf(),
      ...(lancedbPackage === null ? [] : [otherLancedb(lancedbPackage)]),
    ],
  })
  if (!result.success) throw new AggregateError(result.logs, 'bundling failed')
  await chmod(fresh, 0o755)
  await rename(fresh, outfile)
  await rm(folder, { recursive: true })
}

/** Returns Bun's name of the target. */
function compileTarget({ platform, arch, name }: Target): string {
  const system = platform === 'win32' ? 'windows' : platform
  return `bun-${system}-${arch}${name.endsWith('-musl') ? '-musl' : ''}`
}

/** Builds dist/memory.js: `og/memory` for Node, which cannot read og's sources. */
export async function buildClient(): Promise<void> {
  const entry = join(root, 'src', 'program', 'node.ts')
  const options = { entrypoints: [entry], target: 'node' as const, format: 'esm' as const }
  const { success, outputs, logs } = await Bun.build(options)
  if (!success) throw new AggregateError(logs, 'bundling failed')
  await mkdir(join(root, 'dist'), { recursive: true })
  await writeFileAtomically(join(root, 'dist', 'memory.js'), await outputs[0]!.text())
}

/** Replaces src/platform/native/bundled.ts and src/cli/licenses.ts with the prepared files. */
function bundledFiles({ name }: Target, { core, onnx }: Sets, licenses: string): BunPlugin {
  const contents = `export const sourceRoot = ''
export const buildTarget = ${JSON.stringify(name)}
${bundledSet('bundledNatives', core)}
${onnx === null ? 'export const bundledOnnx = null' : bundledSet('bundledOnnx', onnx)}`
  return {
    name: 'bundled files',
    setup(builder) {
      builder.onLoad({ filter: /src.platform.native.bundled\.ts$/ }, () => ({
        contents,
        loader: 'ts',
      }))
      builder.onLoad({ filter: /src.cli.licenses\.ts$/ }, () => ({
        contents: `import path from ${JSON.stringify(licenses)} with { type: 'file' }
export const licensesText = async () =>
  (await Bun.zstdDecompress(await Bun.file(path).bytes())).toString()`,
        loader: 'ts',
      }))
    },
  }
}

function otherLancedb(folder: string): BunPlugin {
  return {
    name: 'other LanceDB',
    setup(builder) {
      builder.onResolve({ filter: /^@lancedb\/lancedb$/ }, () => ({
        path: join(folder, 'dist', 'index.js'),
      }))
      // LanceDB must share og's copy of Arrow, because it rejects tables made by another copy.
      const arrow = join(root, 'node_modules', 'apache-arrow', 'Arrow.node.js')
      builder.onResolve({ filter: /^apache-arrow$/ }, () => ({ path: arrow }))
    },
  }
}

/** Returns the source of an exported manifest. */
function bundledSet(name: string, { hash, files }: BundledFiles): string {
  const imports = files.map(({ path, asset }, i) =>
    asset === undefined
      ? `import ${name}${i} from ${JSON.stringify(path)} with { type: 'file' }\n`
      : `const ${name}${i} = ''\n`,
  )
  const entries = files.map(
    (file, i) => `{ ...${JSON.stringify({ ...file, path: '' })}, path: ${name}${i} }`,
  )
  const manifest = `{ hash: ${JSON.stringify(hash)}, files: [${entries.join(',\n')}] }`
  return `${imports.join('')}export const ${name} = ${manifest}`
}

/** onnxruntime-node finds its addon with a computed require, which no bundler can follow. */
const onnxruntimeBinding = bindingByPath('onnxruntime', {
  filter: /onnxruntime-node.dist.binding\.js$/,
  found: /require\(`\.\.\/bin\/napi-v6[^`]*`\)/,
  variable: 'OG_ONNXRUNTIME_BINDING',
})

const lanceBinding = bindingByPath('lancedb', {
  filter: /@lancedb.lancedb.dist.native\.js$/,
  found: /require\(process\.env\.NAPI_RS_NATIVE_LIBRARY_PATH\)/,
  variable: 'NAPI_RS_NATIVE_LIBRARY_PATH',
})

/**
 * Replaces pdf.js with a module that decompresses it for the first PDF. Its source and bytecode
 * would add 5.6 MB, for a parser that most runs do not load.
 */
async function compressedPdf(): Promise<BunPlugin> {
  const stored = join(root, 'build', 'pdfjs.zst')
  // A plugin cannot start a build of its own, so this one ends before the build of the executable.
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [join(root, 'node_modules', 'unpdf', 'dist', 'pdfjs.mjs')],
    target: 'bun',
    format: 'cjs',
    minify: { whitespace: true, syntax: true },
    plugins: [pdfWithoutRequire],
  })
  if (!success) throw new AggregateError(logs, 'bundling failed')
  await writeFile(stored, Bun.zstdCompressSync(await outputs[0]!.text(), { level: 12 }))
  const contents = `import path from ${JSON.stringify(stored)} with { type: 'file' }
const source = (await Bun.zstdDecompress(await Bun.file(path).bytes())).toString()
const loaded = { exports: {} }
const run = (0, eval)(source)
run(loaded.exports, undefined, loaded)
export const { getDocument } = loaded.exports`
  return {
    name: 'compressed pdf.js',
    setup(builder) {
      builder.onLoad({ filter: /unpdf.dist.pdfjs\.mjs$/ }, () => ({ contents, loader: 'js' }))
    },
  }
}

/**
 * Removes the two `require` of pdf.js, which would put a path of this machine into the executable.
 * They load a canvas and a stream for old versions of Node; og needs neither.
 */
const pdfWithoutRequire = patched('pdf.js', {
  filter: /unpdf.dist.pdfjs\.mjs$/,
  found: /process\.getBuiltinModule\("module"\)\.createRequire\(import\.meta\.url\)/g,
  replacement: 'undefined',
})

/**
 * Loads an addon from exactly the path in a variable. `require` would resolve its links and look up
 * the file by name again, after it was checked by descriptor
 * (src/platform/native/unpack.ts).
 */
function bindingByPath(
  name: string,
  { filter, found, variable }: { filter: RegExp; found: RegExp; variable: string },
): BunPlugin {
  const load = `((addon) => (process.dlopen(addon, process.env.${variable}), addon.exports))`
  return patched(`${name} binding`, { filter, found, replacement: `${load}({ exports: {} })` })
}

/** Replaces `found` in the files of a package. @throws Error if it is not there */
function patched(
  name: string,
  { filter, found, replacement }: { filter: RegExp; found: RegExp; replacement: string },
): BunPlugin {
  return {
    name,
    setup(builder) {
      builder.onLoad({ filter }, ({ path }) => {
        const source = readFileSync(path, 'utf8')
        const contents = source.replace(found, () => replacement)
        if (contents === source) throw new Error(`Cannot patch ${path}: its require has changed`)
        return { contents, loader: 'js' }
      })
    },
  }
}

async function inputsKey({ core, onnx }: Sets): Promise<string> {
  const hash = createHash('sha256')
    .update(core.hash)
    .update(JSON.stringify(onnx))
    .update(Bun.version)
  const files = ['docs/help.txt', 'package.json', 'package-lock.json', 'scripts/build/build.ts']
  const sources = new Glob('{src,data}/**/*.{ts,txt,json,css,js,svg}')
  for await (const file of sources.scan(root)) files.push(file)
  for (const file of files.sort()) {
    hash.update(relative(root, file)).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { level: { type: 'string', default: `${defaultLevel}` } },
  })
  const path = await build({ level: Number(values.level) })
  process.stderr.write(`${relative(process.cwd(), path)}: ${Bun.file(path).size / 1e6} MB\n`)
}
