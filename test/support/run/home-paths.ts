/** og's folders and files, relative to the home folder of a user without openground's folders. */
export const homePaths = {
  settings: '.config/og/config.json',
  sources: '.config/og/sources.json',
  data: '.local/share/og',
  store: '.local/share/og/index',
  rawPages: '.local/share/og/raw_data',
  memory: '.local/share/og/memory',
  cache: '.cache/og',
} as const
