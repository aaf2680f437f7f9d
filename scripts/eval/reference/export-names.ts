/**
 * The public names of an installed package, from its runtime or compiler: the keys of JavaScript's
 * `import()`, Python's `__all__`, rustdoc's JSON, `go doc` and `javap`.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageName, RegistryKind } from '../../../src/version/package-name.ts'

/** The version that the client of the registry installs, and its public names. */
export type InstalledNames = { version: string; names: string[] }

type Reader = (folder: string, name: string, version: string | null) => InstalledNames
const readers: Partial<Record<RegistryKind, Reader>> = {
  npm: npmNames,
  pypi: pythonNames,
  crates: crateNames,
  go: goNames,
  maven: javaNames,
}

/** Installs a package in a new folder and returns its public names. */
export function exportedNames(
  { registry, name, version: wanted }: PackageName,
  folder: string,
): InstalledNames {
  mkdirSync(folder, { recursive: true })
  const { version, names } = readers[registry]!(folder, name, wanted)
  return { version, names: [...new Set(names)].filter((it) => !it.startsWith('_')).sort() }
}

function run(folder: string, command: string[], env: Record<string, string> = {}): string {
  const ran = Bun.spawnSync(command, { cwd: folder, env: { ...process.env, ...env } })
  if (ran.exitCode !== 0) {
    throw new Error(`${command.slice(0, 4).join(' ')}: ${ran.stderr.toString().slice(-600)}`)
  }
  return ran.stdout.toString()
}

/** Imports each subpath of `exports`; one whose dependencies are missing is left out. */
function npmNames(folder: string, name: string, wanted: string | null): InstalledNames {
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  run(folder, [
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `${name}@${wanted ?? 'latest'}`,
  ])
  const script = `
    const [name] = process.argv.slice(1)
    const { readFileSync } = await import('node:fs')
    const text = readFileSync('node_modules/' + name + '/package.json')
    const { exports, version } = JSON.parse(text)
    const isPath = (key) => /^\\./.test(key) && !/\\*|json$/.test(key)
    const keys = Object.keys(exports ?? {}).filter(isPath)
    const names = []
    for (const key of keys.length > 0 ? keys : ['.']) {
      const module = await import(name + key.slice(1)).catch(() => ({}))
      // Node lists names in CommonJS files that are no exports; their value is undefined.
      const isName = (it) => module[it] !== undefined && !/^(default|module\\.exports)$/.test(it)
      names.push(...Object.keys(module).filter(isName))
    }
    process.stdout.write('\\n' + JSON.stringify({ version, names }), () => process.exit())`
  return lastLine(run(folder, ['node', '--input-type=module', '-e', script, name]))
}

/** Imports the module with the name of the distribution, or else its first public module. */
function pythonNames(folder: string, name: string, wanted: string | null): InstalledNames {
  run(folder, [
    'python3',
    '-m',
    'pip',
    'install',
    '-q',
    '--target',
    '.',
    wanted === null ? name : `${name}==${wanted}`,
  ])
  const script = `
import importlib, json, sys
from importlib.metadata import packages_distributions, version
plain = lambda name: name.lower().replace("-", "_").replace(".", "_")
wanted = plain(sys.argv[1])
own = [top for top, names in packages_distributions().items() if wanted in map(plain, names)]
public = sorted(top for top in own if top[0] != "_")
module = importlib.import_module(wanted if wanted in own or not public else public[0])
names = getattr(module, "__all__", None) or [name for name in dir(module) if name != "annotations"]
print(json.dumps({"version": version(sys.argv[1]), "names": list(names)}))`
  const env = { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }
  return lastLine(run(folder, ['python3', '-c', script, name], env))
}

function lastLine(output: string): InstalledNames {
  return JSON.parse(output.trim().split('\n').at(-1)!)
}

type RustDocs = { root: number; crate_version: string; index: Record<string, RustItem> }
type RustItem = {
  name: string | null
  inner: {
    module?: { items: number[] }
    use?: { name: string; source: string; id: number | null; is_glob: boolean }
    enum?: { variants: number[] }
  }
}

/** The names that rustdoc finds from the root of a crate with its default features. */
function crateNames(folder: string, name: string, wanted: string | null): InstalledNames {
  const manifest = '[package]\nname = "x"\nversion = "0.0.0"\nedition = "2024"\n'
  writeFileSync(
    join(folder, 'Cargo.toml'),
    `${manifest}[dependencies]\n${name} = "${wanted === null ? '*' : `=${wanted}`}"\n`,
  )
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src', 'lib.rs'), '')
  return rustdocNames(folder, name)
}

function rustdocNames(folder: string, crate: string): InstalledNames {
  const target = join(folder, 'target')
  const json = ['-Z', 'unstable-options', '--output-format', 'json']
  // JSON is an unstable output of rustdoc.
  const env = { RUSTC_BOOTSTRAP: '1', CARGO_TARGET_DIR: target }
  run(folder, ['cargo', 'rustdoc', '-q', '-p', crate, '--lib', '--', ...json], env)
  const file = join(target, 'doc', `${crate.replaceAll('-', '_')}.json`)
  const parsed: RustDocs = JSON.parse(readFileSync(file, 'utf8'))
  const { index, root, crate_version: version } = parsed
  const names: string[] = []
  const seen = new Set<number>()
  const visit = (id: number) => {
    const item = index[id]
    if (item === undefined || seen.has(id)) return
    seen.add(id)
    const { module, use } = item.inner
    const target = use?.id ? index[use.id]?.inner : undefined
    if (use && !use.is_glob) names.push(use.name)
    else if (!use && item.name && id !== root) names.push(item.name)
    if (target?.module) visit(use!.id!)
    else if (use?.is_glob && target === undefined && /^\w+$/.test(use.source))
      names.push(...rustdocNames(folder, use.source).names)
    const variants = use?.is_glob ? target?.enum?.variants : undefined
    for (const inner of module?.items ?? variants ?? []) visit(inner)
  }
  visit(root)
  return { version, names }
}

/** The exported names of all packages of a module that other modules can import. */
function goNames(folder: string, name: string, wanted: string | null): InstalledNames {
  run(folder, ['go', 'mod', 'init', 'x'])
  run(folder, ['go', 'get', `${name}@${wanted ?? 'latest'}`])
  const described = run(folder, ['go', 'list', '-m', '-f', '{{.Version}} {{.Dir}}', name])
  const [version = '', root = ''] = described.trim().split(' ')
  const env = { GOFLAGS: '-mod=mod' }
  const listed = run(root, ['go', 'list', '-e', '-f', '{{.Name}} {{.ImportPath}}', './...'], env)
  const isAside = (path: string) => /\/(?:internal|testdata|examples?)(?:\/|$)/.test(path)
  const names = listed
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([own, path]) => own !== 'main' && !isAside(path!))
    .map(([, path]) => run(root, ['go', 'doc', '-short', path!], env))
    .flatMap((text) => [...text.matchAll(/^\s*(?:func|type|var|const) ([A-Z]\w*)/gm)])
    .map(([, it]) => it!)
  return { version, names }
}

/** The public classes of a jar, nested ones included. */
function javaNames(folder: string, name: string, wanted: string | null): InstalledNames {
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy'
  run(folder, [
    'mvn',
    '-q',
    goal,
    `-Dartifact=${name}:${wanted ?? 'RELEASE'}`,
    '-DoutputDirectory=.',
  ])
  const [jar = ''] = readdirSync(folder)
  const version = jar.slice(name.length - name.indexOf(':'), -'.jar'.length)
  const classes = run(folder, ['jar', 'tf', jar])
    .split('\n')
    .filter((path) => /^(?!META-INF|.*(?:module|package)-info).*\.class$/.test(path))
    .filter((path) => !/\$\d|\/(?:internal|impl)\//.test(path))
    .map((path) => path.slice(0, -'.class'.length).replaceAll('/', '.'))
  const output = run(folder, ['javap', '-public', '-cp', jar, ...classes])
  const types = /^public (?:[a-z-]+ )*(?:class|interface|enum|record) ([\w.$]+)/gm
  const names = [...output.matchAll(types)].map(([, it]) => it!.replace(/^.*[.$]/, ''))
  return { version, names }
}
