import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import identity from '../../packaging/identity.json'
import { version } from '../../package.json'
import type { Target } from '../build/target.ts'
import { writeTree, type Entry } from './archive.ts'

const { name, summary, publisher, license, homepage } = identity

/** dpkg and rpm sort a pre-release before its release only if it has a tilde: `1.0.0~rc.1`. */
const number = version.replace('-', '~')

const kinds = ['deb', 'rpm'] as const
type Kind = (typeof kinds)[number]

/** The name of a processor in each format. */
const processors: Record<Kind, Record<Target['arch'], string>> = {
  deb: { x64: 'amd64', arm64: 'arm64' },
  rpm: { x64: 'x86_64', arm64: 'aarch64' },
}

/** Returns kind and file name of a target's packages. Only Linux with glibc has such packages. */
export function systemPackages({ name: target, platform, arch }: Target): [Kind, string][] {
  if (platform !== 'linux' || target.endsWith('-musl')) return []
  const { deb, rpm } = processors
  return [
    ['deb', `${name}_${number}_${deb[arch]}.deb`],
    ['rpm', `${name}-${number}-1.${rpm[arch]}.rpm`],
  ]
}

/**
 * Writes a package that installs the files of an archive in the usual folders and runs no scripts.
 * `seconds` is the time of all files, counted from 1970.
 * @throws Error if rpmbuild, which makes the rpm, is not installed
 */
export async function writeSystemPackage(
  path: string,
  entries: readonly Entry[],
  { kind, arch, seconds }: { kind: Kind; arch: Target['arch']; seconds: number },
): Promise<void> {
  const places = placesOf(kind)
  const files = entries.flatMap((entry) => {
    const place = places[entry.name]
    return place === undefined ? [] : [{ ...entry, name: place }]
  })
  const scratch = await mkdtemp(join(tmpdir(), 'og-package-'))
  const about = { processor: processors[kind][arch], seconds, scratch }
  try {
    await (kind === 'deb' ? writeDeb : writeRpm)(path, files, about)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function placesOf(kind: Kind): Record<string, string> {
  const docs = `usr/share/doc/${name}`
  const zsh = kind === 'deb' ? 'vendor-completions' : 'site-functions'
  return {
    og: 'usr/bin/og',
    LICENSE: `${docs}/copyright`,
    'README.md': `${docs}/README.md`,
    'THIRD-PARTY.txt': `${docs}/THIRD-PARTY.txt`,
    'man/og.1': 'usr/share/man/man1/og.1',
    'completions/og.bash': 'usr/share/bash-completion/completions/og',
    'completions/_og': `usr/share/zsh/${zsh}/_og`,
    'completions/og.fish': 'usr/share/fish/vendor_completions.d/og.fish',
  }
}

type About = { processor: string; seconds: number; scratch: string }

/** Writes an ar archive of two tars, as dpkg-deb does. Its xz filter makes the file smaller. */
async function writeDeb(
  path: string,
  files: readonly Entry[],
  { processor, seconds, scratch }: About,
): Promise<void> {
  const inScratch = (file: string) => join(scratch, file)
  const contents = await Promise.all(
    files.map(async (file) => ({ name: file.name, content: await readFile(file.path) })),
  )
  const bytes = contents.reduce((sum, { content }) => sum + content.length, 0)
  await writeFile(
    inScratch('control'),
    `Package: ${name}
Version: ${number}
Architecture: ${processor}
Maintainer: ${publisher}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.28), libgcc-s1
Recommends: libstdc++6
Section: utils
Priority: optional
${homepage && `Homepage: ${homepage}\n`}Description: ${summary}
`,
  )
  await writeFile(
    inScratch('md5sums'),
    contents
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((it) => `${createHash('md5').update(it.content).digest('hex')}  ${it.name}\n`)
      .join(''),
  )
  const control = ['control', 'md5sums'].map((file) => ({
    name: file,
    path: inScratch(file),
    isExecutable: false,
  }))
  const layout = { folder: '.', seconds }
  await writeTree(inScratch('control.tar.gz'), control, layout)
  await writeTree(inScratch('data.tar.xz'), files, layout)
  const members = [Buffer.from('!<arch>\n'), member('debian-binary', Buffer.from('2.0\n'), seconds)]
  for (const file of ['control.tar.gz', 'data.tar.xz']) {
    members.push(member(file, await readFile(inScratch(file)), seconds))
  }
  await writeFile(path, Buffer.concat(members))
}

/**
 * Returns a member of an ar archive: a header of 60 bytes, then the content, padded to an even
 * length.
 */
function member(file: string, content: Buffer, seconds: number): Buffer {
  const fields = [
    [file, 16],
    [seconds, 12],
    [0, 6],
    [0, 6],
    ['100644', 8],
    [content.length, 10],
  ]
  const head = fields.map(([field, width]) => String(field).padEnd(width as number)).join('')
  return Buffer.concat([
    Buffer.from(`${head}\`\n`),
    content,
    Buffer.from(content.length % 2 === 1 ? '\n' : ''),
  ])
}

/** Runs rpmbuild with options that leave the executable unchanged and do not name this machine. */
async function writeRpm(
  path: string,
  files: readonly Entry[],
  { processor, seconds, scratch }: About,
): Promise<void> {
  const tree = join(scratch, 'tree')
  for (const file of files) {
    const place = join(tree, file.name)
    await mkdir(dirname(place), { recursive: true })
    await copyFile(file.path, place)
    await chmod(place, file.isExecutable ? 0o755 : 0o644)
    await utimes(place, seconds, seconds)
  }
  const spec = join(scratch, `${name}.spec`)
  await writeFile(spec, specOf(tree, files))
  const macros = {
    _topdir: scratch,
    _tmppath: scratch,
    _dbpath: join(scratch, 'db'),
    _rpmdir: dirname(path),
    _rpmfilename: path.slice(dirname(path).length + 1),
    _buildhost: 'localhost',
    _build_id_links: 'none',
    _binary_payload: 'w6T2.xzdio',
    __os_install_post: '%{nil}',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
  }
  const defines = Object.entries(macros).flatMap(([key, value]) => ['--define', `${key} ${value}`])
  const args = ['-bb', '--quiet', '--target', `${processor}-linux`, ...defines, spec]
  const ran = spawnSync('rpmbuild', args, {
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: `${seconds}`, LC_ALL: 'C' },
  })
  if (ran.status === 0) return
  throw new Error(`rpmbuild failed: ${ran.error?.message ?? ran.stderr.trim().split('\n').at(-1)}`)
}

function specOf(tree: string, files: readonly Entry[]): string {
  return `Name: ${name}
Version: ${number}
Release: 1
Summary: ${summary}
License: ${license}
${homepage && `URL: ${homepage}\n`}AutoReqProv: no
Requires: libc.so.6(GLIBC_2.28)(64bit), libgcc_s.so.1()(64bit)
Recommends: libstdc++.so.6()(64bit)

%description
${summary}

%install
cp -a ${tree}/. %{buildroot}/

%files
%defattr(-,root,root)
${files
  .map(({ name: place }) => `/${place}`)
  .sort()
  .join('\n')}
`
}
