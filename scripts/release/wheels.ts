import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync, type Zippable } from 'fflate'
import identity from '../../packaging/identity.json'
import { version } from '../../package.json'
import { executableName, type Target } from '../build/target.ts'

const root = join(import.meta.dir, '../..')
const python = join(root, 'packaging', 'python')

/** The platforms of the wheels for each target, by pip's names. ONNX Runtime needs glibc 2.28. */
const platforms: Record<Target['name'], string> = {
  'linux-x64': 'manylinux_2_28_x86_64',
  'linux-x64-musl': 'musllinux_1_2_x86_64',
  'linux-arm64': 'manylinux_2_28_aarch64',
  'darwin-arm64': 'macosx_13_0_arm64',
  'windows-x64': 'win_amd64',
}

type Wheel = {
  package: string
  platform: string
  summary: string
  files: Record<string, { bytes: Uint8Array; isExecutable?: true }>
  commands?: Record<string, string>
  extras?: Record<string, string>
}

/**
 * Writes the wheels to publish: one with the executable for each target, and the client library
 * og-memory, which is pure Python. `executables` maps targets to paths. Returns the file names.
 */
export async function writeWheels(
  folder: string,
  targets: readonly Target[],
  executables: Record<string, string>,
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const { package: cli, summary } = identity
  const names = [
    await writeWheel(folder, {
      package: `${identity.name}-memory`,
      platform: 'any',
      summary: 'Agent memory in Markdown files, kept by the executable og',
      files: await sources('og_memory'),
      extras: { og: `${cli} == ${version}` },
    }),
  ]
  for (const target of targets) {
    const bytes = await readFile(executables[target.name]!)
    const script = `${moduleName(cli)}-${version}.data/scripts/${executableName(target)}`
    const files = { ...(await sources('og_cli')), [script]: { bytes, isExecutable: true as const } }
    const platform = platforms[target.name]
    const commands = { [cli]: 'og_cli.__main__:main' }
    names.push(await writeWheel(folder, { package: cli, platform, summary, files, commands }))
  }
  return names
}

/** pip requires file names to contain module names. */
const moduleName = (name: string) => name.replaceAll('-', '_')

/** Returns the files of a Python package, without files that an interpreter left behind. */
async function sources(name: string): Promise<Wheel['files']> {
  const found = await readdir(join(python, name), { recursive: true, withFileTypes: true })
  const paths = found
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.pyc'))
    .map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.map(async (path) => {
      const inside = path.slice(python.length + 1).replaceAll('\\', '/')
      return [inside, { bytes: await readFile(path) }] as const
    }),
  )
  return Object.fromEntries(files)
}

/** The same input produces the same bytes: names are sorted, times and modes are fixed. */
async function writeWheel(folder: string, wheel: Wheel): Promise<string> {
  const stem = `${moduleName(wheel.package)}-${version}`
  const tag = `py3-none-${wheel.platform}`
  const isPure = wheel.platform === 'any'
  const about: Record<string, string> = {
    METADATA: await metadata(wheel),
    WHEEL: [
      'Wheel-Version: 1.0',
      `Generator: og ${version}`,
      `Root-Is-Purelib: ${isPure}`,
      `Tag: ${tag}\n`,
    ].join('\n'),
    LICENSE: await readFile(join(root, 'LICENSE'), 'utf8'),
  }
  const commands = Object.entries(wheel.commands ?? {}).map(([name, to]) => `${name} = ${to}\n`)
  if (commands.length > 0) {
    about['entry_points.txt'] = `[console_scripts]\n${commands.join('')}`
  }
  const files = { ...wheel.files }
  for (const [name, text] of Object.entries(about)) {
    files[`${stem}.dist-info/${name}`] = { bytes: Buffer.from(text) }
  }
  const names = Object.keys(files).toSorted()
  const record = `${stem}.dist-info/RECORD`
  const lines = names.map((name) => `${name},${recordOf(files[name]!.bytes)}\n`)
  files[record] = { bytes: Buffer.from(`${lines.join('')}${record},,\n`) }
  const file = `${stem}-${tag}.whl`
  const zip: Zippable = {}
  for (const name of [...names, record]) {
    const { bytes, isExecutable } = files[name]!
    const attrs = ((isExecutable ? 0o100755 : 0o100644) << 16) >>> 0
    zip[name] = [bytes, { mtime: new Date(1980, 0, 1), level: 6, os: 3, attrs }]
  }
  await writeFile(join(folder, file), zipSync(zip))
  return file
}

function recordOf(bytes: Uint8Array): string {
  const hash = createHash('sha256').update(bytes).digest('base64url')
  return `sha256=${hash},${bytes.length}`
}

async function metadata({ package: name, platform, summary, extras = {} }: Wheel): Promise<string> {
  const readme = join(platform === 'any' ? python : root, 'README.md')
  const lines = [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    `Summary: ${summary}`,
    `License: ${identity.license}`,
    ...(identity.homepage === '' ? [] : [`Home-page: ${identity.homepage}`]),
    'Requires-Python: >=3.9',
    ...Object.entries(extras).flatMap(([extra, needs]) => [
      `Provides-Extra: ${extra}`,
      `Requires-Dist: ${needs}; extra == "${extra}"`,
    ]),
    'Description-Content-Type: text/markdown',
  ]
  const { registryName } = identity
  // The MCP registry looks for its name of a server in the description of the package.
  const mark =
    platform === 'any' || registryName === '' ? '' : `\n<!-- mcp-name: ${registryName} -->\n`
  return `${lines.join('\n')}\n\n${await readFile(readme, 'utf8')}${mark}`
}
