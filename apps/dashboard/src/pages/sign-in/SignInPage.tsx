import { Page } from "../../ui/Page.tsx";

export default function SignInPage() {
  return <Page title="Sign in">…</Page>;
}
