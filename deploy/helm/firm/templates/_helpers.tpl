{{- define "firm.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "firm.labels" -}}
app.kubernetes.io/name: firm
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "firm.selector" -}}
app.kubernetes.io/name: firm
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "firm.image" -}}
{{- $own := .own | default dict -}}
{{- $image := mergeOverwrite (deepCopy .root.Values.image) ($own.image | default dict) -}}
{{- printf "%s:%s" $image.repository ($image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}

{{- define "firm.secret" -}}
{{- .Values.credentials.existingSecret | default (printf "%s-credentials" (include "firm.name" .)) -}}
{{- end -}}

{{- define "firm.busUrl" -}}
{{- if .Values.bus.url -}}
{{- .Values.bus.url -}}
{{- else if .Values.nats.enabled -}}
{{- printf "nats://%s-nats:%d" .Release.Name (int .Values.bus.port) -}}
{{- else -}}
{{- fail "bus.url is empty: name a NATS server with JetStream, or set nats.enabled" -}}
{{- end -}}
{{- end -}}

{{- define "firm.busMonitoring" -}}
{{- .Values.bus.monitoring | default (printf "%s-nats-headless.%s.svc:8222" .Release.Name .Release.Namespace) -}}
{{- end -}}

{{- /* Every member: {address, role, service, executive}, as JSON. An address is the role with a dot, e.g. employee.implementer. */ -}}
{{- define "firm.members" -}}
{{- $members := list (dict "address" "gateway" "service" "gateway") (dict "address" "ceo" "role" "ceo" "service" "ceo") -}}
{{- $seen := dict -}}
{{- range $department := .Values.firm.departments -}}
  {{- $members = append $members (dict "address" (printf "department.%s" $department.name) "role" (printf "department:%s" $department.name) "service" "department") -}}
  {{- range $service := $department.services -}}
    {{- $members = append $members (dict "address" (printf "service.%s" $service.name) "role" (printf "service:%s" $service.name) "service" "service") -}}
    {{- range $employee := $service.employees -}}
      {{- if not (hasKey $seen $employee.name) -}}
        {{- $_ := set $seen $employee.name true -}}
        {{- $members = append $members (dict "address" (printf "employee.%s" $employee.name) "role" (printf "employee:%s" $employee.name) "service" "employee") -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- range $executive := .Values.executives -}}
  {{- $members = append $members (dict "address" (printf "executive.%s" $executive) "role" $executive "service" "executive" "executive" true) -}}
{{- end -}}
{{- toJson $members -}}
{{- end -}}

{{- define "firm.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "firm.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
