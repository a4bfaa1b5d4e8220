import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

interface ViewLinkProps extends AnchorProps {
  readonly href: string
  readonly title?: string
  readonly 'aria-label'?: string
  readonly children: ReactNode
}

export function ViewLink(props: ViewLinkProps) {
  return <Anchor component={Link} {...props} />
}
