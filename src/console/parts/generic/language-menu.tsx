import { Button, Menu } from '@mantine/core'
import { chooseLanguage, type LanguageCode, language, languages } from '../../words/language.ts'
import { t } from '../../words/sentences.tsx'

// Safe: the keys of the object are the codes.
const codes = Object.keys(languages) as LanguageCode[]

/** Selects the language of the console. Each language is named in itself, for people who read no other. */
export function LanguageMenu() {
  const name = languages[language]
  return (
    <Menu>
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" aria-label={t('Language: {language}', { language: name })}>
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {codes.map(code => (
          <Menu.Item key={code} lang={code} onClick={() => chooseLanguage(code)}>
            {languages[code]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
