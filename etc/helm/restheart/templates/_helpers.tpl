{{- define "restheart.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "restheart.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "restheart.labels" -}}
{{ include "restheart.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "restheart.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{/* The kubelet replaces $(NAME): the secret stands in no manifest. */}}
{{- define "restheart.rho" -}}
/mclient/connection-string -> "$(RESTHEART_MONGO_URI)";
/jwtConfigProvider/key -> "$(RESTHEART_TOKEN_KEY)";
/http-listener/host -> "0.0.0.0";
/management-listener -> {"enabled": true, "host": "0.0.0.0", "port": 9090};
/core/warm-up-seconds -> 5;
{{- range $path, $value := .Values.overrides }}
{{ $path }} -> {{ toJson $value }};
{{- end }}
{{- end }}
