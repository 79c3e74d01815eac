{{- define "assay.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "assay.selector" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "assay.labels" -}}
{{ include "assay.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* What the pods of every role have in common; "role" and "values" (of the role) come with the root context. */}}
{{- define "assay.podSpec" -}}
automountServiceAccountToken: false
{{- /* For a Service named "assay", Kubernetes would set variables with the prefix of settings, and the service would refuse them. */}}
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - { name: tmp, emptyDir: {} }
{{- end }}

{{- define "assay.container" -}}
image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ required "existingSecret: name a Secret that holds ASSAY_DATABASE_URL, ASSAY_EVENTS_URL, ASSAY_QUEUE_URL and ASSAY_MASTER_KEY" .root.Values.existingSecret | quote }} }
env:
  - { name: ASSAY_ROLE, value: {{ .role | quote }} }
{{- range $name, $value := .root.Values.settings }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . | indent 2 }}
{{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
resources: {{- toYaml .values.resources | nindent 2 }}
{{- end }}
