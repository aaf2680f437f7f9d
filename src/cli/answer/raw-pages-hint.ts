import type { Config } from '../../config/config.ts'

export async function rawPagesHint({ rawDataPath }: Config): Promise<string | null> {
  const { listRaw } = await import('../../library/add/extract.ts')
  const nVersions = (await listRaw(rawDataPath)).length
  return nVersions > 0 ? `og import-raw indexes the raw pages in ${rawDataPath}` : null
}
