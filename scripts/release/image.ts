/**
 * Builds a container image without a daemon: `npm run image [-- --arch arm64]`. apt-get lays out
 * the root folder in dist/image/ from Debian packages. Then buildah runs the Dockerfile, which
 * merely copies this folder, and writes dist/og-image-ARCH.tar for `docker load`. Without buildah,
 * run `docker build .` afterwards. The executable is dist/og or, if the image is for another
 * processor, the one built by `npm run release`.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import identity from '../../packaging/identity.json'
import { version } from '../../package.json'

const root = join(import.meta.dir, '../..')
const folder = join(root, 'dist', 'image')

type Architecture = 'amd64' | 'arm64'
const built: Record<Architecture, string> = {
  amd64: 'build/release/linux-x64/og',
  arm64: 'build/release/linux-arm64/og',
}

/** Packages with libraries that og and its addons load. Only ONNX Runtime needs libstdc++. */
const packages = ['libc6', 'libgcc-s1', 'libstdc++6']
const libraries =
  'ld-linux|libc\\.|libdl|libgcc_s|libm\\.|libnss_(dns|files)|libpthread|' +
  'libresolv|librt|libstdc\\+\\+'
const wanted = new RegExp(
  `^(usr/)?lib(64)?/([^/]+/)?(${libraries})[^/]*$|^usr/share/doc/([^/]+|.*/copyright)$`,
)

/**
 * Writes the root folder of the image for a processor. `executable` is the path of og for that
 * processor.
 */
export async function layOut(arch: Architecture, executable: string): Promise<void> {
  const own = join(folder, arch)
  const scratch = await mkdtemp(join(tmpdir(), 'og-image-'))
  try {
    await rm(own, { recursive: true, force: true })
    await unpackDebs(await downloadDebs(arch, scratch), { scratch, own })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  for (const path of ['etc', 'tmp', 'usr/local/bin', `usr/share/licenses/${identity.name}`]) {
    await mkdir(join(own, path), { recursive: true })
  }
  await chmod(join(own, 'tmp'), 0o1777)
  await writeFile(join(own, 'etc/passwd'), 'og:x:65532:65532::/data:/sbin/nologin\n')
  await writeFile(join(own, 'etc/group'), 'og:x:65532:\n')
  await copyFile(join(root, 'LICENSE'), join(own, `usr/share/licenses/${identity.name}/LICENSE`))
  await copyFile(executable, join(own, 'usr/local/bin/og'))
  await chmod(join(own, 'usr/local/bin/og'), 0o755)
  // A separate COPY instruction in the Dockerfile makes the image's user the owner of this folder.
  await mkdir(join(folder, 'owned', 'data'), { recursive: true, mode: 0o700 })
}

/** Runs apt with its own lists and state, for any processor, without changing this machine. */
async function downloadDebs(arch: Architecture, scratch: string): Promise<string> {
  const debs = join(scratch, 'debs')
  for (const path of ['debs', 'state/lists/partial', 'cache/archives/partial']) {
    await mkdir(join(scratch, path), { recursive: true })
  }
  const options = {
    'Dir::State': join(scratch, 'state'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(scratch, 'cache'),
    'APT::Architecture': arch,
    'APT::Architectures': arch,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  }
  const named = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const apt = ['apt-get', '-qq', ...named]
  succeeds([...apt, 'update'], scratch)
  succeeds([...apt, 'download', ...packages], debs)
  // Their licence is in a package on which they all depend; its name contains GCC's version.
  const [runtime] = (await readdir(debs)).filter((name) => name.startsWith('libgcc'))
  const needed = succeeds(['dpkg-deb', '--field', runtime!, 'Depends'], debs)
  succeeds([...apt, 'download', /gcc-\d+-base/.exec(needed)![0]], debs)
  return debs
}

async function unpackDebs(
  debs: string,
  { scratch, own }: { scratch: string; own: string },
): Promise<void> {
  for (const name of (await readdir(debs)).sort()) {
    const unpacked = join(scratch, 'unpacked', name)
    await mkdir(unpacked, { recursive: true })
    succeeds(['dpkg-deb', '-x', join(debs, name), unpacked], debs)
    say(name)
    const options = { recursive: true, encoding: 'utf8', withFileTypes: true } as const
    for (const entry of await readdir(unpacked, options)) {
      const path = join(entry.parentPath, entry.name).slice(unpacked.length + 1)
      if (entry.isDirectory() || !wanted.test(path)) continue
      await mkdir(dirname(join(own, path)), { recursive: true })
      await cp(join(unpacked, path), join(own, path), { verbatimSymlinks: true })
    }
  }
}

/** Builds the Dockerfile in Docker's format, because the OCI format has no health checks. */
async function writeImage(arch: Architecture): Promise<string> {
  const archive = join(root, 'dist', `og-image-${arch}.tar`)
  const scratch = await mkdtemp(join(tmpdir(), 'og-buildah-'))
  const buildah = [
    'buildah',
    '--storage-driver',
    'vfs',
    '--root',
    join(scratch, 'root'),
    '--runroot',
    join(scratch, 'run'),
  ]
  const tag = `${identity.name}:${version}`
  try {
    succeeds(
      [
        ...buildah,
        'bud',
        '--isolation',
        'chroot',
        '--format',
        'docker',
        '--layers=false',
        '--platform',
        `linux/${arch}`,
        '--timestamp',
        commitSeconds(),
        '--tag',
        tag,
        root,
      ],
      root,
    )
    const loose = join(scratch, 'image.tar')
    succeeds([...buildah, 'push', tag, `docker-archive:${loose}:${tag}`], root)
    succeeds(['tar', '-xf', loose, '-C', scratch], scratch)
    await writeArchiveOf(scratch, archive)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return archive
}

/** Removes the random names that buildah invents, so that the archive is reproducible. */
async function writeArchiveOf(unpacked: string, archive: string): Promise<void> {
  const [image] = JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8'))
  const made = JSON.parse(await readFile(join(unpacked, image.Config), 'utf8'))
  const { container: _, container_config: __, ...config } = made
  delete config.config.Hostname
  const text = JSON.stringify(config)
  const name = `${createHash('sha256').update(text).digest('hex')}.json`
  const manifest = [{ ...image, Config: name, RepoTags: [`${identity.name}:${version}`] }]
  await writeFile(join(unpacked, name), text)
  await writeFile(join(unpacked, 'manifest.json'), JSON.stringify(manifest))
  const order = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0']
  const files = [name, ...image.Layers, 'manifest.json']
  succeeds(['tar', '-cf', archive, ...order, '-C', unpacked, ...files], unpacked)
}

const commitSeconds = () =>
  process.env.SOURCE_DATE_EPOCH || succeeds(['git', 'log', '-1', '--format=%ct'], root).trim()

function succeeds([command = '', ...args]: string[], cwd: string): string {
  const ran = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (ran.status === 0) return ran.stdout
  const why = ran.error?.message ?? ran.stderr.trim().split('\n').at(-1)
  throw new Error(`Cannot make the image: ${command} failed: ${why}`)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

if (import.meta.main) {
  const own = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const { values } = parseArgs({ options: { arch: { type: 'string', default: own } } })
  const arch = values.arch as Architecture
  if (!(arch in built)) throw new Error(`Cannot make an image for "${arch}": amd64, arm64`)
  const executable = join(root, arch === own ? 'dist/og' : built[arch])
  if (!existsSync(executable)) throw new Error(`Cannot make the image: there is no ${executable}`)
  await layOut(arch, executable)
  say(`dist/image/${arch}: the root folder; docker build . makes an image of it`)
  if (Bun.which('buildah') === null) say('no archive: buildah is not here')
  else {
    const archive = await writeImage(arch)
    say(`dist/${basename(archive)}: ${((await stat(archive)).size / 1e6).toFixed(1)} MB`)
  }
}
